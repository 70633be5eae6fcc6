// Pieces of assembly text that probes are made of. Private to isa/.
#pragma once

#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>

#include "isa/isa.h"

namespace chord::isa {

// Bytes below the stack pointer that belong to leaf functions.
inline constexpr int kRedZone = 128;

inline std::string reg(unsigned r) {
  constexpr std::array<const char *, 16> kNames = {"%rax", "%rcx", "%rdx", "%rbx", "%rsp", "%rbp", "%rsi", "%rdi",
                                                   "%r8",  "%r9",  "%r10", "%r11", "%r12", "%r13", "%r14", "%r15"};
  return kNames[r];
}

// Its lower half; writing that clears the upper one.
inline std::string low_half(unsigned r) { return r >= 8 ? reg(r) + "d" : "%e" + reg(r).substr(2); }

inline std::string move_stack(int bytes) {
  return fmt::format("\tleaq\t{}(%rsp),%rsp\n\t.cfi_adjust_cfa_offset {}\n", bytes, -bytes);
}
inline std::string push(unsigned r) { return fmt::format("\tpushq\t{}\n\t.cfi_adjust_cfa_offset 8\n", reg(r)); }
inline std::string pop(unsigned r) { return fmt::format("\tpopq\t{}\n\t.cfi_adjust_cfa_offset -8\n", reg(r)); }

// Puts around a snippet what keeps all live flags in %rax, which is itself kept in `holder` (or dead, if there is none).
void keep_flags(Snippet &s, Resources live, std::optional<unsigned> holder);

}  // namespace chord::isa
