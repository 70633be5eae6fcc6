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
#include <chord_abi.h>
#include <fmt/core.h>

#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "isa/contexts.h"
#include "isa/isa.h"
#include "isa/x86_64/registers.h"
#include "isa/x86_64/text.h"

namespace chord::isa {
namespace {

// Scratch registers in order of preference: shortest encodings last to need saving.
constexpr std::array<unsigned, 14> kScratch = {r11, r10, rax, rcx, rdx, rsi, rdi, r8, r9, rbx, r12, r13, r14, r15};

// What is to be done to a counter: an operation, and its operand if it has one.
struct Change {
  std::string operation;  // up to the counter's operand
  bool spares_carry = false;
  std::optional<unsigned> from_vector;  // move this into a general register first, and append that
  bool high = false;                    // its high half
  bool wide = false;
  const Check *check = nullptr;
  Resources operand = 0;  // the register that is added: not to be lent to anything else
};

Change change_by(int64_t amount) {
  if (amount == 1) return {"incq\t", true, {}};
  if (amount == -1) return {"decq\t", true, {}};
  return {fmt::format("addq\t${},", amount), false, {}};
}

// The operand for a counter: `setup` computes what it needs into registers.
struct Address {
  std::string setup;
  std::string memory;
  unsigned price = 0;
};

// Either kind of place; without a record, the counter's own.
struct Target {
  CounterPlace counter;
  PathHolder record;

  Target(const CounterPlace &place) : counter(place) {}
  Target(const RecordPlace &place) : record(place.holder) {
    counter.index = place.index;
    counter.pinned = place.pinned;
  }
  bool is_record() const { return record.kind != PathHolder::Kind::none; }
  bool in_frame() const { return record.kind == PathHolder::Kind::slot; }
  unsigned base() const { return !is_record() ? counter.index_register : in_frame() ? record.base : record.reg; }
};

Target target_of(const AnyPlace &place) {
  return std::visit([](const auto &one) { return Target(one); }, place);
}

Address address_in_record(const Target &t, const std::vector<unsigned> &free) {
  unsigned holder = t.in_frame() ? free[0] : t.record.reg;
  return {t.in_frame() ? fmt::format("\tmovq\t{}({}),{}\n", t.record.displacement, reg(t.record.base), reg(holder)) : "",
          fmt::format("{}({})", CHORD_CONTEXT_COUNTERS + 8 * t.counter.index, reg(holder)), t.in_frame() ? 1u : 0u};
}

unsigned registers_for_address(const Target &t) {
  const CounterPlace &p = t.counter;
  if (t.is_record()) return t.in_frame() ? 1 : 0;
  switch (p.kind) {
    case CounterPlace::Kind::thread_delta:
    case CounterPlace::Kind::thread_home: return 2;
    case CounterPlace::Kind::shared:
    case CounterPlace::Kind::atomic: return p.index_register != kNoRegister ? 1 : 0;
    default: return 0;
  }
}

Address address_of(const Target &t, const std::vector<unsigned> &free) {
  if (t.is_record()) return address_in_record(t, free);
  const CounterPlace &p = t.counter;
  int64_t offset = 8 * p.index;
  bool indexed = p.index_register != kNoRegister;
  switch (p.kind) {
    case CounterPlace::Kind::thread_local_exec:
      return {"", fmt::format("%fs:{}@tpoff{:+}{}", p.label, offset,
                              indexed ? fmt::format("(,{},8)", reg(p.index_register)) : ""), 0};
    case CounterPlace::Kind::shared:
    case CounterPlace::Kind::atomic:
      if (indexed) {
        return {fmt::format("\tleaq\t{}{:+}(%rip),{}\n", p.label, offset, reg(free[0])),
                fmt::format("({},{},8)", reg(free[0]), reg(p.index_register)), 1};
      }
      return {"", fmt::format("{}{:+}(%rip)", p.label, offset), 0};
    case CounterPlace::Kind::thread_delta:  // shared counter + delta of this thread
      if (indexed) {
        return {fmt::format("\tmovq\t__chord_slot(%rip),{0}\n\tmovq\t%fs:({0}),{0}\n\tleaq\t{2}{3:+}(%rip),{1}\n"
                            "\tleaq\t({1},{4},8),{1}\n",
                            reg(free[0]), reg(free[1]), p.label, offset, reg(p.index_register)),
                fmt::format("({},{})", reg(free[1]), reg(free[0])), 4};
      }
      return {fmt::format("\tmovq\t__chord_slot(%rip),{0}\n\tmovq\t%fs:({0}),{0}\n\tleaq\t{2}{3:+}(%rip),{1}\n",
                          reg(free[0]), reg(free[1]), p.label, offset),
              fmt::format("({},{})", reg(free[1]), reg(free[0])), 3};
    case CounterPlace::Kind::thread_home:
      return {fmt::format("\tmovq\t{2}" CHORD_HOME_SUFFIX "(%rip),{0}\n\tmovq\t%fs:({0}),{0}\n\tmovq\t{2}" CHORD_HOME_SUFFIX "+8(%rip),{1}\n",
                          reg(free[0]), reg(free[1]), p.label),
              fmt::format("{}({},{})", offset, reg(free[1]), reg(free[0])), 3};
  }
  return {};
}

// Runs `body(live set)` with `count` general registers saved on the stack.
// Registers in `pinned` hold what the body needs and are not among them.
template <class Body>
Snippet with_saved(Resources live, unsigned count, Resources pinned, Body body) {
  std::string before = move_stack(-kRedZone);
  std::string after;
  Resources freed = 0;
  unsigned saved = 0;
  for (unsigned r : kScratch) {
    if (saved == count) break;
    if (!(live & general(r)) || (pinned & general(r))) continue;
    before += push(r);
    after = pop(r) + after;
    freed |= general(r);
    ++saved;
  }
  Snippet inner = body(live & ~freed);
  Snippet s;
  s.moves_stack = true;
  after += move_stack(kRedZone);
  s.text = before + inner.text + after;
  s.tail = inner.tail + after.size();
  s.price = inner.price + 2 + 2 * saved;
  s.depth_at_check = inner.depth_at_check + kRedZone + 8 * static_cast<int>(saved);
  return s;
}

}  // namespace

// The snippet with all live flags kept in %rax, which is itself kept in `holder`
// (or dead, if there is none). lahf and sahf carry all flags but overflow; adding 127
// to a byte that is 1 or 0 brings that one back.
void keep_flags(Snippet &s, Resources live, std::optional<unsigned> holder) {
  bool overflow = (live & kOverflow) != 0;
  auto around = [&](const std::string &before, const std::string &after) {
    s.text = before + s.text + after;
    s.tail += after.size();
    s.price += 2;
  };
  if (overflow) around("\tseto\t%al\n", "\taddb\t$127,%al\n");
  around("\tlahf\n", "\tsahf\n");
  if (holder) around(fmt::format("\tmovq\t%rax,{}\n", reg(*holder)), fmt::format("\tmovq\t{},%rax\n", reg(*holder)));
}

Resources call_reads() {
  return general(rdi) | general(rsi) | general(rdx) | general(rcx) | general(r8) | general(r9) | general(rax) |
         general(r10) | general(rsp) | (Resources{0xff} << 16);
}
Resources call_clobbers() { return (kGeneral & ~kCalleeSaved) | kVector | kFlags; }
Resources return_reads() { return kCalleeSaved | general(rax) | general(rdx) | vector(0) | vector(1); }
Resources all_flags() { return kFlags; }
Resources all_registers() { return kGeneral | kVector; }
Resources callee_saved() { return kCalleeSaved & ~general(rsp); }
Resources register_numbered(unsigned number) { return number < kNoRegister ? general(number) : 0; }

std::optional<Resources> register_named(std::string_view name) {
  if (!name.empty() && name[0] == '%') name.remove_prefix(1);
  for (unsigned i = 0; i < 16; ++i) {
    std::string whole = reg(i).substr(1);
    if (name == whole) return general(i);
    if (i >= 8 && name.starts_with(whole) && name.size() == whole.size() + 1) return general(i);
    if (i < 8 && name.size() == 3 && name[0] == 'e' && name.substr(1) == whole.substr(1)) return general(i);
  }
  return std::nullopt;
}

Snippet increment(const CounterPlace &place, Resources live) { return add_constant(place, 1, live); }

Snippet set_flag(const CounterPlace &p) { return {fmt::format("\tmovb\t$1,{}{:+}(%rip)\n", p.label, 8 * p.index), 1, false, 0}; }

bool fits_constant(int64_t amount) { return amount == static_cast<int32_t>(amount); }

namespace {

// After the addition: what looks at the sign it left.
void look_at_sign(Snippet &s, const std::string &memory, const Check &check) {
  s.text += fmt::format("\tjs\t{}\n{}:\n", check.out, check.back);
  ++s.price;
  if (!check.makes_good) return;
  s.text += fmt::format("\t{}{}\n", change_by(-check.lacking).operation, memory);
  ++s.price;
}

// The high half stays where it is: whoever is interrupted here has not added it.
std::string vector_to_general(const Change &change, const std::string &into) {
  std::string from = fmt::format("%xmm{}", *change.from_vector);
  if (change.wide) return change.high ? fmt::format("\tvpextrq\t$1,{},{}\n", from, into) : fmt::format("\tvmovq\t{},{}\n", from, into);
  return (change.high ? fmt::format("\tmovhlps\t{0},{0}\n", from) : "") + fmt::format("\tmovq\t{},{}\n", from, into);
}

// Does the change to the counter, keeping all that is live.
Snippet apply(const Target &p, const Change &change, Resources live) {
  // inc and dec leave the carry flag alone, so only the others must be dead.
  bool keeps_flags = (live & (change.spares_carry ? kFlags & ~kCarry : kFlags)) != 0;
  bool needs_holder = keeps_flags && (live & general(rax));
  std::vector<unsigned> free;
  for (unsigned r : kScratch) {
    if (!(live & general(r)) && !(keeps_flags && r == rax)) free.push_back(r);
  }
  unsigned for_address = registers_for_address(p);
  unsigned wanted = for_address + (needs_holder ? 1 : 0) + (change.from_vector ? 1 : 0);
  if (free.size() < wanted) {
    // Keeping flags, one more, in case one of those saved is %rax.
    const auto missing = static_cast<unsigned>(wanted - free.size()) + (keeps_flags ? 1 : 0);
    Resources pinned = register_numbered(p.base()) | change.operand | p.counter.pinned;
    return with_saved(live, missing, pinned, [&](Resources less) {
      Target moved = p;
      if (p.in_frame() && p.record.base == kStackPointer) moved.record.displacement += kRedZone + 8 * std::popcount(live & ~less);
      return apply(moved, change, less);
    });
  }
  Address address = address_of(p, free);
  Snippet s;
  std::string operation = change.operation;
  if (change.from_vector) {
    std::string through = reg(free[for_address]);
    s.text = vector_to_general(change, through);
    operation += through + ",";
    s.price += change.high && !change.wide ? 2 : 1;
  }
  s.text += fmt::format("\t{}{}{}\n", p.counter.kind == CounterPlace::Kind::atomic ? "lock " : "", operation, address.memory);
  ++s.price;
  if (change.check != nullptr) look_at_sign(s, address.memory, *change.check);
  if (keeps_flags) {
    std::optional<unsigned> holder;
    if (needs_holder) holder = free[wanted - 1];
    keep_flags(s, live, holder);
  }
  s.text = address.setup + s.text;
  s.price += address.price;
  return s;
}

unsigned number_of(Resources one) { return static_cast<unsigned>(std::countr_zero(one)); }
unsigned vector_number(Resources one) { return number_of(one) - 16; }

Change change_with(const std::string &operation, const Holder &h) {
  if (h.is_vector()) return {operation + "\t", false, vector_number(h.reg), h.part == Holder::Part::high, h.wide};
  Change change{fmt::format("{}\t{},", operation, reg(number_of(h.reg))), false, {}};
  change.operand = h.reg;
  return change;
}

// One instruction on vector registers, in either encoding.
std::string vector_line(const Holder &h, const char *operation, Resources from, Resources into) {
  if (h.wide) {
    return fmt::format("\tv{0}\t%xmm{1},%xmm{2},%xmm{2}\n", operation, vector_number(from), vector_number(into));
  }
  return fmt::format("\t{}\t%xmm{},%xmm{}\n", operation, vector_number(from), vector_number(into));
}

// The same with 16 bytes of memory, or 8 of them.
std::string vector_line(const Holder &h, const char *operation, const char *memory) {
  std::string into = fmt::format("%xmm{}", vector_number(h.reg));
  return h.wide ? fmt::format("\tv{0}\t{1},{2},{2}\n", operation, memory, into) : fmt::format("\t{}\t{},{}\n", operation, memory, into);
}

}  // namespace

Snippet add_constant(const CounterPlace &place, int64_t amount, Resources live) {
  return apply(place, change_by(amount), live);
}

Snippet increment(const AnyPlace &place, Resources live) { return apply(target_of(place), change_by(1), live); }

Snippet add_checked(const CounterPlace &place, int64_t amount, Resources live, const Check &check) {
  Change change = change_by(check.makes_good ? amount + check.lacking : amount);
  change.check = &check;
  change.spares_carry = change.spares_carry && !check.makes_good;
  return apply(place, change, live);
}

// The routine finds, from its return address on: the place relative to it, and the
// counter's index below the number of events it lacks.
Snippet ask_runtime(const CounterPlace &p, const Check &check, const std::string &routine) {
  constexpr int kIndexBits = 4;
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

// ---- Counters in registers ----

bool Holder::is_vector() const { return (reg & kVector) != 0; }

std::vector<Resources> general_holders(Resources free) {
  std::vector<Resources> out;
  // Not %rax: keeping flags takes it.
  for (unsigned r : kScratch) {
    if (r != rax && (free & general(r))) out.push_back(general(r));
  }
  return out;
}

// The upper ones first: compilers use them last. Those above 15 take AVX-512.
std::vector<Resources> vector_holders(Resources free) {
  std::vector<Resources> out;
  for (unsigned r = 16; r-- > 0;) {
    if (free & vector(r)) out.push_back(vector(r));
  }
  return out;
}

Snippet clear(const Holder &h, Resources live) {
  Snippet s;
  s.price = 1;
  if (h.part == Holder::Part::low) {
    s.text = vector_line(h, "movlps", ".Lchord_low+8(%rip)");
  } else if (h.is_vector()) {
    s.text = vector_line(h, "pxor", h.reg, h.reg);
  } else {
    std::string low = low_half(number_of(h.reg));
    s.text = (live & kFlags) ? fmt::format("\tmovl\t$0,{}\n", low) : fmt::format("\txorl\t{0},{0}\n", low);
  }
  return s;
}

Snippet fill_ones(const Holder &h) { return {vector_line(h, "pcmpeqd", h.ones, h.ones), 1, false, 0}; }

std::string half_constants() {
  return "\t.section .rodata.cst16,\"aM\",@progbits,16\n\t.balign 16\n"
         ".Lchord_low:\n\t.quad -1,0\n.Lchord_high:\n\t.quad 0,-1\n";
}

Snippet increment(const Holder &h, Resources live) {
  if (h.part == Holder::Part::low) return {vector_line(h, "psubq", ".Lchord_low(%rip)"), 1, false, 0};
  if (h.part == Holder::Part::high) return {vector_line(h, "psubq", ".Lchord_high(%rip)"), 1, false, 0};
  if (h.is_vector()) return {vector_line(h, "psubq", h.ones, h.reg), 1, false, 0};
  std::string r = reg(number_of(h.reg));
  return {(live & kFlags) ? fmt::format("\tleaq\t1({0}),{0}\n", r) : fmt::format("\tincq\t{}\n", r), 1, false, 0};
}

Snippet add_register(const CounterPlace &place, const Holder &h, Resources live) {
  return apply(place, change_with("addq", h), live | h.resources());
}

Snippet subtract_register(const CounterPlace &place, const Holder &h, Resources live) {
  return apply(place, change_with("subq", h), live | h.resources());
}

Snippet add_register(const AnyPlace &place, const Holder &h, Resources live) {
  return apply(target_of(place), change_with("addq", h), live | h.resources());
}

Snippet subtract_register(const AnyPlace &place, const Holder &h, Resources live) {
  return apply(target_of(place), change_with("subq", h), live | h.resources());
}

std::string whole_step(Resources one, int32_t step, bool intel_syntax) {
  std::string r = reg(number_of(one));
  if (!intel_syntax) return fmt::format("leaq\t{0}({1}),{1}", step, r);
  r.erase(0, 1);
  return fmt::format("lea\t{0}, [{0}{1:+}]", r, step);
}

// 0 becomes 2^32 - 1 and then 2^32; everything else comes back, without its upper half.
Snippet widen_countdown(const Holder &h) {
  unsigned r = number_of(h.reg);
  return {fmt::format("\tleal\t-1({0}),{1}\n\tleaq\t1({0}),{0}\n", reg(r), low_half(r)), 2, false, 0};
}

// DWARF's numbers: the first eight general registers in another order than the
// processor's, and vector registers.
uint8_t recorded_number(const Holder &h) {
  static constexpr uint8_t kGeneralNumbers[8] = {0, 2, 1, 3, 7, 6, 4, 5};
  if (h.is_vector()) {
    unsigned first = h.part == Holder::Part::high ? CHORD_FIRST_HIGH_HALF : CHORD_FIRST_VECTOR;
    return static_cast<uint8_t>(first + vector_number(h.reg));
  }
  unsigned n = number_of(h.reg);
  return n < 8 ? kGeneralNumbers[n] : static_cast<uint8_t>(n);
}

Holder holder_recorded(uint8_t number) {
  for (Holder::Part part : {Holder::Part::whole, Holder::Part::high}) {
    for (unsigned r = part == Holder::Part::high ? 16 : 0; r < 32; ++r) {
      Holder one{Resources{1} << r, 0, false, part};
      if (recorded_number(one) == number) return one;
    }
  }
  return {};
}

VectorUse vector_use(const Decoded &d) {
  if (!((d.reads | d.writes) & kVector) || d.unknown_effects) return VectorUse::none;
  return d.mnemonic.starts_with('v') ? VectorUse::wide : VectorUse::legacy;
}

// The routine takes its argument off the stack. In shared objects that is the distance of the
// total from this very instruction.
Snippet ask_bracket(const CounterPlace &p, bool opens) {
  bool shared = p.kind == CounterPlace::Kind::thread_delta;
  Snippet s;
  s.moves_stack = true;
  s.price = 2;
  s.text = fmt::format("\tpushq\t${}{}+{}{}\n\t.cfi_adjust_cfa_offset 8\n\tcall\t__chord_{}{}\n\t.cfi_adjust_cfa_offset -8\n",
                       p.label, shared ? "" : "@tpoff", 8 * p.index, shared ? "-." : "", opens ? "open" : "close",
                       shared ? "_shared" : "");
  return s;
}

Snippet note_leap(std::string_view operand) {
  Snippet s;
  s.moves_stack = true;
  s.price = 4;
  s.text = move_stack(-kRedZone) +
           fmt::format("\tpushq\t{}\n\t.cfi_adjust_cfa_offset 8\n\tcall\t__chord_leap\n\t.cfi_adjust_cfa_offset -8\n", operand) +
           move_stack(kRedZone);
  return s;
}

}  // namespace chord::isa
