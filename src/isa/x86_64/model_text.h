// Pieces of text that the probes of all models are made of. Private to isa/.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "isa/models.h"
#include "isa/x86_64/registers.h"
#include "isa/x86_64/text.h"

namespace chord::isa {

// Registers for a probe: those that are dead, then others, which it has to keep.
struct Scratch {
  std::vector<unsigned> registers;
  std::vector<unsigned> saved;
  bool keeps_flags = false;
  std::optional<unsigned> rax_in;  // keeping flags takes %rax

  int depth() const { return saved.empty() ? 0 : kRedZone + 8 * static_cast<int>(saved.size()); }
};

// `not_these` are none of them, not even kept: what the probe itself reads after it has taken them.
Scratch take_scratch(Resources live, size_t count, Resources not_these);
// Takes the address, and changes no flags. `depth`: bytes that the stack pointer is lower than at the site.
std::string compute_address(const DataAddress &at, unsigned into, int depth);
// The register that leads to the counter's record, if one does.
Resources register_of(const AnyPlace &counter);

// Around `body`: registers and flags that it changes. `address`: computed before any of them is taken.
Snippet keep(const Scratch &scratch, const std::string &address, Snippet body, Resources live);

inline constexpr const char *kWord = "\t.cfi_adjust_cfa_offset 8\n";  // after a push

// Pushes where the counter is, as the routine of that name takes it. `depth`: bytes that the stack pointer is lower than at the site.
struct CounterArgument {
  std::string text;
  const char *suffix;  // of the routine
};
CounterArgument counter_argument(const AnyPlace &place, unsigned free, int depth);

// Registers to take, the first that are dead.
inline constexpr std::array<unsigned, 14> kScratch = {r11, r10, r9, r8, rcx, rdx, rsi, rdi, rax, rbx, r12, r13, r14, r15};

}  // namespace chord::isa
