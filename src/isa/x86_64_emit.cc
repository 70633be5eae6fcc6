// Writing probes for x86-64.
//
// What is safe to touch is told by liveness alone. Three things are never touched:
// the red zone (128 bytes below the stack pointer belong to leaf functions), memory
// outside the stack as a scratch slot (a signal handler running the same probe
// would overwrite it), and flags or registers in `live`.
//
// The cheapest sequence that fits is taken:
//   flags dead            incq c or addq $n,c           1 instruction
//   a register dead       movq c,%r; leaq n(%r),%r; movq %r,c
//   two vectors dead      pcmpeqd, movq, psubq, movq: no flags, no general register (n = 1)
//   nothing dead          step over the red zone, push, as above, pop
#include <fmt/core.h>

#include <array>

#include "isa/isa.h"
#include "isa/x86_64_registers.h"

namespace chord::isa {
namespace {

constexpr std::array<const char *, 16> kNames = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                                 "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
// Scratch registers in order of preference: shortest encodings last to need saving.
constexpr std::array<unsigned, 14> kScratch = {r11, r10, rax, rcx, rdx, rsi, rdi, r8, r9, rbx, r12, r13, r14, r15};
constexpr int kRedZone = 128;

int find_dead(Resources live, int other_than = -1) {
  for (unsigned r : kScratch) {
    if (!(live & general(r)) && static_cast<int>(r) != other_than) return static_cast<int>(r);
  }
  return -1;
}

int find_dead_vector(Resources live, int other_than = -1) {
  for (int n = 15; n >= 0; --n) {
    if (!(live & vector(static_cast<unsigned>(n))) && n != other_than) return n;
  }
  return -1;
}

std::string reg(int r) { return fmt::format("%{}", kNames[static_cast<size_t>(r)]); }

// inc and dec leave the carry flag alone, so only the others must be dead.
bool adding_is_free(int64_t amount, Resources live) {
  return (live & (amount == 1 || amount == -1 ? kFlags & ~kCarry : kFlags)) == 0;
}

std::string add_to(const std::string &memory, int64_t amount) {
  if (amount == 1) return fmt::format("\tincq\t{}\n", memory);
  if (amount == -1) return fmt::format("\tdecq\t{}\n", memory);
  return fmt::format("\taddq\t${},{}\n", amount, memory);
}

std::string add_through(int r, const std::string &memory, int64_t amount) {
  return fmt::format("\tmovq\t{0},{1}\n\tleaq\t{2}({1}),{1}\n\tmovq\t{1},{0}\n", memory, reg(r), amount);
}

// memory += amount for an operand that needs no further register.
Snippet bump(const std::string &memory, int64_t amount, Resources live) {
  Snippet s;
  if (adding_is_free(amount, live)) {
    s.text = add_to(memory, amount);
    s.price = 1;
    return s;
  }
  if (int r = find_dead(live); r >= 0) {
    s.text = add_through(r, memory, amount);
    s.price = 3;
    return s;
  }
  int a = find_dead_vector(live);
  int b = a >= 0 ? find_dead_vector(live, a) : -1;
  if (b >= 0 && amount == 1) {
    s.text = fmt::format(
        "\tpcmpeqd\t%xmm{1},%xmm{1}\n\tmovq\t{0},%xmm{2}\n\tpsubq\t%xmm{1},%xmm{2}\n\tmovq\t%xmm{2},{0}\n", memory,
        a, b);
    s.price = 4;
  }
  return s;
}

std::string move_stack(int bytes) {
  return fmt::format("\tleaq\t{}(%rsp),%rsp\n\t.cfi_adjust_cfa_offset {}\n", bytes, -bytes);
}
std::string push(const std::string &what) {
  return fmt::format("\tpush{}\n\t.cfi_adjust_cfa_offset 8\n", what);
}
std::string pop(const std::string &what) { return fmt::format("\tpop{}\n\t.cfi_adjust_cfa_offset -8\n", what); }

// Runs `body(live set)` with `count` general registers saved on the stack.
template <class Body>
Snippet with_saved(Resources live, unsigned count, Body body) {
  std::string before = move_stack(-kRedZone);
  std::string after;
  Resources freed = 0;
  unsigned saved = 0;
  for (unsigned r : kScratch) {
    if (saved == count) break;
    if (!(live & general(r))) continue;
    before += push("q\t" + reg(static_cast<int>(r)));
    after = pop("q\t" + reg(static_cast<int>(r))) + after;
    freed |= general(r);
    ++saved;
  }
  Snippet inner = body(live & ~freed);
  Snippet s;
  s.moves_stack = true;
  s.text = before + inner.text + after + move_stack(kRedZone);
  s.price = inner.price + 2 + 2 * saved;
  return s;
}

Snippet add_directly(const std::string &memory, int64_t amount, Resources live) {
  Snippet s = bump(memory, amount, live);
  if (s.price != 0) return s;
  return with_saved(live, 1, [&](Resources less) { return bump(memory, amount, less); });
}

// The thread's counter lies at (shared counter + delta of this thread).
Snippet add_by_delta(const CounterPlace &p, int64_t amount, Resources live) {
  int delta = find_dead(live);
  int base = delta >= 0 ? find_dead(live, delta) : -1;
  bool needs_third = !adding_is_free(amount, live);
  int third = -1;
  if (base >= 0 && needs_third) third = find_dead(live | general(static_cast<unsigned>(delta)), base);
  if (base < 0 || (needs_third && third < 0)) {
    return with_saved(live, needs_third ? 3 : 2, [&](Resources less) { return add_by_delta(p, amount, less); });
  }
  Snippet s;
  s.text = fmt::format("\tmovq\t__chord_delta@gottpoff(%rip),{0}\n\tmovq\t%fs:({0}),{0}\n\tleaq\t{2}+{3}(%rip),{1}\n",
                       reg(delta), reg(base), p.label, 8 * p.index);
  std::string memory = fmt::format("({},{})", reg(base), reg(delta));
  s.text += needs_third ? add_through(third, memory, amount) : add_to(memory, amount);
  s.price = needs_third ? 6 : 4;
  return s;
}

// The thread's counter lies at an offset from the thread pointer that the dynamic
// linker knows.
Snippet add_by_offset(const CounterPlace &p, int64_t amount, Resources live) {
  int offset = find_dead(live);
  bool needs_second = !adding_is_free(amount, live);
  int second = offset >= 0 && needs_second ? find_dead(live, offset) : -1;
  if (offset < 0 || (needs_second && second < 0)) {
    return with_saved(live, needs_second ? 2 : 1, [&](Resources less) { return add_by_offset(p, amount, less); });
  }
  Snippet s;
  s.text = fmt::format("\tmovq\t{}@gottpoff(%rip),{}\n", p.label, reg(offset));
  std::string memory = fmt::format("%fs:{}({})", 8 * p.index, reg(offset));
  s.text += needs_second ? add_through(second, memory, amount) : add_to(memory, amount);
  s.price = needs_second ? 4 : 2;
  return s;
}

// A locked addition changes flags whatever we do; lock xadd would too. Flags that are
// live are kept on the stack.
Snippet add_atomically(const std::string &memory, int64_t amount, Resources live) {
  Snippet s;
  s.text = "\tlock " + add_to(memory, amount).substr(1);
  s.price = 1;
  if (adding_is_free(amount, live)) return s;
  s.moves_stack = true;
  s.text = move_stack(-kRedZone) + push("fq") + s.text + pop("fq") + move_stack(kRedZone);
  s.price = 5;
  return s;
}

}  // namespace

Resources call_reads() {
  return general(rdi) | general(rsi) | general(rdx) | general(rcx) | general(r8) | general(r9) | general(rax) |
         general(r10) | general(rsp) | (Resources{0xff} << 16);
}
Resources call_clobbers() { return (kGeneral & ~kCalleeSaved) | kVector | kFlags; }
Resources return_reads() { return kCalleeSaved | general(rax) | general(rdx) | vector(0) | vector(1); }
Resources all_flags() { return kFlags; }
Resources all_registers() { return kGeneral | kVector; }

std::optional<Resources> register_named(std::string_view name) {
  if (!name.empty() && name[0] == '%') name.remove_prefix(1);
  for (unsigned i = 0; i < 16; ++i) {
    std::string_view whole = kNames[i];
    if (name == whole) return general(i);
    if (i >= 8 && name.starts_with(whole) && name.size() == whole.size() + 1) return general(i);
    if (i < 8 && name.size() == 3 && name[0] == 'e' && name.substr(1) == whole.substr(1)) return general(i);
  }
  return std::nullopt;
}

Snippet increment(const CounterPlace &place, Resources live) { return add_constant(place, 1, live); }

bool fits_constant(int64_t amount) { return amount == static_cast<int32_t>(amount); }

Snippet add_constant(const CounterPlace &p, int64_t amount, Resources live) {
  using Kind = CounterPlace::Kind;
  switch (p.kind) {
    case Kind::thread_local_exec:
      return add_directly(fmt::format("%fs:{}@tpoff+{}", p.label, 8 * p.index), amount, live);
    case Kind::thread_delta:
      return add_by_delta(p, amount, live);
    case Kind::shared:
      return add_directly(fmt::format("{}+{}(%rip)", p.label, 8 * p.index), amount, live);
    case Kind::atomic:
      return add_atomically(fmt::format("{}+{}(%rip)", p.label, 8 * p.index), amount, live);
    case Kind::thread_initial_exec:
      return add_by_offset(p, amount, live);
  }
  return {};
}

}  // namespace chord::isa
