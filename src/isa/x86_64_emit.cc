// Writing probes for x86-64.
//
// What is safe to touch is told by liveness alone. Three things are never touched:
// the red zone (128 bytes below the stack pointer belong to leaf functions), memory
// outside the stack as a scratch slot (a signal handler running the same probe
// would overwrite it), and flags or registers in `live`.
//
// The counter itself is changed by one instruction in every case: a signal handler
// that runs the same probe between a load and a store would have its count undone.
//   flags dead                incq c
//   flags live, rax dead      lahf; incq c; sahf (two more if overflow is live)
//   rax live                  the same with rax kept in a dead register,
//   no register dead          or on the stack, beyond the red zone
#include <fmt/core.h>

#include <array>
#include <vector>

#include "isa/isa.h"
#include "isa/x86_64_registers.h"

namespace chord::isa {
namespace {

constexpr std::array<const char *, 16> kNames = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                                 "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
// Scratch registers in order of preference: shortest encodings last to need saving.
constexpr std::array<unsigned, 14> kScratch = {r11, r10, rax, rcx, rdx, rsi, rdi, r8, r9, rbx, r12, r13, r14, r15};
constexpr int kRedZone = 128;

std::string reg(unsigned r) { return fmt::format("%{}", kNames[r]); }

// inc and dec leave the carry flag alone, so only the others must be dead.
bool adding_is_free(int64_t amount, Resources live) {
  return (live & (amount == 1 || amount == -1 ? kFlags & ~kCarry : kFlags)) == 0;
}

std::string add_to(const std::string &memory, int64_t amount) {
  if (amount == 1) return fmt::format("incq\t{}\n", memory);
  if (amount == -1) return fmt::format("decq\t{}\n", memory);
  return fmt::format("addq\t${},{}\n", amount, memory);
}

// The operand for a counter: `setup` computes what it needs into registers.
struct Address {
  std::string setup;
  std::string memory;
  unsigned price = 0;
};

unsigned registers_for_address(CounterPlace::Kind kind) {
  switch (kind) {
    case CounterPlace::Kind::thread_delta: return 2;
    case CounterPlace::Kind::thread_initial_exec: return 1;
    default: return 0;
  }
}

Address address_of(const CounterPlace &p, const std::vector<unsigned> &free) {
  uint32_t offset = 8 * p.index;
  switch (p.kind) {
    case CounterPlace::Kind::thread_local_exec:
      return {"", fmt::format("%fs:{}@tpoff+{}", p.label, offset), 0};
    case CounterPlace::Kind::shared:
    case CounterPlace::Kind::atomic:
      return {"", fmt::format("{}+{}(%rip)", p.label, offset), 0};
    case CounterPlace::Kind::thread_delta:  // shared counter + delta of this thread
      return {fmt::format("\tmovq\t__chord_delta@gottpoff(%rip),{0}\n\tmovq\t%fs:({0}),{0}\n\tleaq\t{2}+{3}(%rip),{1}\n",
                          reg(free[0]), reg(free[1]), p.label, offset),
              fmt::format("({},{})", reg(free[1]), reg(free[0])), 3};
    case CounterPlace::Kind::thread_initial_exec:  // the dynamic linker knows the offset
      return {fmt::format("\tmovq\t{}@gottpoff(%rip),{}\n", p.label, reg(free[0])),
              fmt::format("%fs:{}({})", offset, reg(free[0])), 1};
  }
  return {};
}

std::string move_stack(int bytes) {
  return fmt::format("\tleaq\t{}(%rsp),%rsp\n\t.cfi_adjust_cfa_offset {}\n", bytes, -bytes);
}
std::string push(unsigned r) { return fmt::format("\tpushq\t{}\n\t.cfi_adjust_cfa_offset 8\n", reg(r)); }
std::string pop(unsigned r) { return fmt::format("\tpopq\t{}\n\t.cfi_adjust_cfa_offset -8\n", reg(r)); }

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
    before += push(r);
    after = pop(r) + after;
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

// The addition with all live flags kept in %rax, which is itself kept in `holder`
// (or dead, if there is none). lahf and sahf carry all flags but overflow; adding 127
// to a byte that is 1 or 0 brings that one back.
void keep_flags(Snippet &s, Resources live, std::optional<unsigned> holder) {
  bool overflow = (live & kOverflow) != 0;
  if (overflow) s.text = "\tseto\t%al\n" + s.text + "\taddb\t$127,%al\n";
  s.text = "\tlahf\n" + s.text + "\tsahf\n";
  s.price += overflow ? 4 : 2;
  if (!holder) return;
  s.text = fmt::format("\tmovq\t%rax,{0}\n{1}\tmovq\t{0},%rax\n", reg(*holder), s.text);
  s.price += 2;
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

namespace {

// The addition to the counter at `memory`, and what looks at the sign it leaves.
std::string add_and_look(const std::string &memory, int64_t amount, const Check *check, unsigned &price) {
  price = 1;
  if (check == nullptr) return "\t" + add_to(memory, amount);
  price = check->makes_good ? 3 : 2;
  std::string text = "\t" + add_to(memory, check->makes_good ? amount + check->lacking : amount);
  text += fmt::format("\tjs\t{}\n{}:\n", check->out, check->back);
  if (check->makes_good) text += "\t" + add_to(memory, -check->lacking);
  return text;
}

Snippet add(const CounterPlace &p, int64_t amount, Resources live, const Check *check) {
  bool adds_twice = check != nullptr && check->makes_good;
  bool keeps_flags = !adding_is_free(adds_twice ? 0 : amount, live);
  bool needs_holder = keeps_flags && (live & general(rax));
  std::vector<unsigned> free;
  for (unsigned r : kScratch) {
    if (!(live & general(r)) && !(keeps_flags && r == rax)) free.push_back(r);
  }
  unsigned wanted = registers_for_address(p.kind) + (needs_holder ? 1 : 0);
  if (free.size() < wanted) {
    // One more than wanted, in case one of those saved is %rax.
    return with_saved(live, wanted + 1, [&](Resources less) { return add(p, amount, less, check); });
  }
  Address address = address_of(p, free);
  Snippet s;
  s.text = add_and_look(address.memory, amount, check, s.price);
  if (p.kind == CounterPlace::Kind::atomic) s.text.insert(1, "lock ");
  if (keeps_flags) {
    std::optional<unsigned> holder;
    if (needs_holder) holder = free[wanted - 1];
    keep_flags(s, live, holder);
  }
  s.text = address.setup + s.text;
  s.price += address.price;
  return s;
}

}  // namespace

Snippet add_constant(const CounterPlace &p, int64_t amount, Resources live) { return add(p, amount, live, nullptr); }

Snippet add_checked(const CounterPlace &p, int64_t amount, Resources live, const Check &check) {
  return add(p, amount, live, &check);
}

// The routine finds, from its return address on: the place relative to it, and the
// counter's index below the number of events it lacks.
Snippet ask_runtime(const CounterPlace &p, const Check &check, const std::string &routine) {
  constexpr int kIndexBits = 3;
  int64_t lacking = check.makes_good ? 0 : check.lacking;
  Snippet s;
  s.moves_stack = true;
  s.price = 6;
  s.text = move_stack(-kRedZone) +
           fmt::format("\tpushq\t${}\n\t.cfi_adjust_cfa_offset 8\n",
                       (lacking << kIndexBits) + p.index) +
           fmt::format("\tpushq\t${0}-{1}_\n\t.cfi_adjust_cfa_offset 8\n\tcall\t{2}\n{1}_:\n", check.place,
                       check.out, routine) +
           move_stack(kRedZone + 16) + fmt::format("\tjmp\t{}\n", check.back);
  return s;
}

}  // namespace chord::isa
