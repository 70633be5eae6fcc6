// Writing what keeps the record of the calling context (chord_abi.h) for x86-64.
//
// In words of eight bytes, downwards from the return address:
//   holder saved   the caller's register, the slot in force at entry; on the way out the
//                  record in the red zone, for whoever is interrupted there
//   holder slot    the slot in force at entry, the record
//   holder free    nothing: the procedure makes no calls, so nobody asks for the slot and what is to be in force
//                  when it returns can be so from its beginning
#include <fmt/core.h>

#include <array>

#include "chord_abi.h"
#include "isa/contexts.h"
#include "isa/x86_64/registers.h"
#include "isa/x86_64/text.h"

namespace chord::isa {
namespace {

constexpr const char *kSite = "%fs:" CHORD_SITE_SYMBOL "@tpoff";
constexpr const char *kLink = CHORD_LINK_SYMBOL "@gottpoff(%rip)";
// Where the record is on the way out, below the caller's stack pointer (abi/chord_activations.h). Deeper than any register that a
// procedure has pushed and popped: its unwind rules may still say that it is there.
constexpr int kKept = 120;
constexpr std::array<unsigned, 9> kScratch = {r11, r10, rcx, rdx, rsi, rdi, r8, r9, rax};

class Lines {
 public:
  explicit Lines(bool unwinding) : unwinding_(unwinding) {}
  template <class... T>
  Lines &line(fmt::format_string<T...> text, T &&...values) {
    text_ += "\t" + fmt::format(text, std::forward<T>(values)...) + "\n";
    return *this;
  }
  Lines &moved(int bytes) { return rule(fmt::format(".cfi_adjust_cfa_offset {}", bytes)); }
  Lines &rule(const std::string &text) {
    if (unwinding_ && !text.empty()) text_ += "\t" + text + "\n";
    return *this;
  }
  Lines &label(const std::string &name) {
    text_ += name + ":\n";
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  bool unwinding_;
  std::string text_;
};

bool in_register(const PathHolder &h) { return h.kind != PathHolder::Kind::slot; }

}  // namespace

unsigned scratch_register(Resources live) {
  for (unsigned r : kScratch) {
    if (!(live & general(r))) return r;
  }
  return kNoRegister;
}

namespace {

// In shared code: where the slot in force is.
void find_site(Lines &out, const std::string &into) { out.line("movq\t{},{}", kLink, into).line("movq\t%fs:({0}),{0}", into); }

void load_site(Lines &out, const std::string &into, bool shared) {
  if (!shared) {
    out.line("movq\t{},{}", kSite, into);
    return;
  }
  find_site(out, into);
  out.line("movq\t({0}),{0}", into);
}

// Is the record the procedure's own? Shared code has to compare addresses.
void compare_record(Lines &out, const ContextLabels &labels, unsigned record, const ContextEntry &entry) {
  if (!entry.shared) {
    out.line("cmpq\t${}@tpoff,({})", labels.id, reg(record));
    return;
  }
  const bool pressed = entry.other == kNoRegister;
  const std::string other = reg(!pressed ? entry.other : record == r11 ? r10 : r11);
  if (pressed) out.line("pushq\t{}", other).moved(8);
  out.line("leaq\t{}(%rip),{}", labels.proc, other).line("cmpq\t{},8({})", other, reg(record));
  if (pressed) out.line("popq\t{}", other).moved(-8);
}

// Asks the runtime unless the record is the procedure's own.
void ask_for_record(Lines &out, const ContextLabels &labels, unsigned number, const ContextEntry &entry) {
  const std::string record = reg(number);
  compare_record(out, labels, number, entry);
  out.line("je\t{}", labels.found);
  out.line("leaq\t{}(%rip),{}", labels.proc, record).line("pushq\t{}", record).moved(8);
  out.line("call\t__chord_enter").line("popq\t{}", record).moved(-8);
}

// Without a dead register: one is kept below the frame.
std::string enter_pressed(const ContextLabels &labels, const ContextEntry &entry) {
  Lines out(entry.unwinding);
  const std::string other = reg(r11);
  out.line("leaq\t-16(%rsp),%rsp").moved(16).line("pushq\t{}", other).moved(8);
  load_site(out, other, entry.shared);
  out.line("pushq\t8({})", other).moved(8).line("popq\t16(%rsp)").moved(-8);
  out.line("movq\t({0}),{0}", other).line("movq\t{},8(%rsp)", other);
  ask_for_record(out, labels, r11, entry);
  out.line("movq\t{},8(%rsp)", other).label(labels.found).line("popq\t{}", other).moved(-8);
  return out.take();
}

}  // namespace

std::string enter_context(const PathHolder &h, const ContextLabels &labels, const ContextEntry &entry) {
  const unsigned scratch = entry.scratch;
  const bool unwinding = entry.unwinding;
  if (!in_register(h) && scratch == kNoRegister) return enter_pressed(labels, entry);
  Lines out(unwinding);
  const unsigned number = in_register(h) ? h.reg : scratch;
  const std::string record = reg(number);
  if (h.kind == PathHolder::Kind::saved) out.line("pushq\t{}", record).moved(8).rule(saved_register_rule(h));
  load_site(out, record, entry.shared);
  if (entry.puts_back) out.line("movq\t8({}),{}", record, reg(scratch));
  if (h.widens_frame()) out.line("pushq\t8({})", record).moved(8);
  if (!in_register(h)) out.line("pushq\t({})", record).moved(8);
  out.line("movq\t({0}),{0}", record);
  ask_for_record(out, labels, number, entry);
  if (!in_register(h)) out.line("movq\t{},(%rsp)", record);
  out.label(labels.found);
  if (entry.puts_back) out.line("movq\t{},{}", reg(scratch), kSite);
  return out.take();
}

int record_argument_distance(const PathHolder &h, unsigned scratch) {
  bool pressed = !in_register(h) && scratch == kNoRegister;
  return 8 + (h.widens_frame() ? kWidening : 0) + (pressed ? 8 : 0);
}

int kept_slot_distance(const PathHolder &h, unsigned scratch) {
  if (!h.widens_frame()) return 0;
  return record_argument_distance(h, scratch) - (in_register(h) ? 16 : 8);
}

namespace {

// What was popped may still be below the stack pointer, say unwind rules: it is not written over.
Lines &step_over_popped(Lines &out) { return out.line("leaq\t{}(%rsp),%rsp", -kRedZone).moved(kRedZone); }

std::string leave_shared_context(const PathHolder &h, const ContextExit &exit) {
  Lines out(exit.unwinding);
  const std::string other = reg(exit.scratch == kNoRegister ? r11 : exit.scratch);
  if (h.kind == PathHolder::Kind::saved) {
    out.line("movq\t{},{}(%rsp)", reg(h.reg), 8 + kWidening - kKept);
    find_site(out, reg(h.reg));
    out.line("popq\t({})", reg(h.reg)).moved(-8);
    out.line("popq\t{}", reg(h.reg)).moved(-8).rule(fmt::format(".cfi_restore {}", dwarf_number(h.reg)));
  } else if (h.kind == PathHolder::Kind::slot && exit.scratch != kNoRegister) {
    find_site(out, other);
    out.line("leaq\t8(%rsp),%rsp").moved(-8).line("popq\t({})", other).moved(-8);
  } else if (h.kind == PathHolder::Kind::slot) {
    step_over_popped(out).line("pushq\t{}", other).moved(8);
    find_site(out, other);
    out.line("pushq\t{}(%rsp)", kRedZone + 16).moved(8).line("popq\t({})", other).moved(-8);
    out.line("popq\t{}", other).moved(-8).line("leaq\t{}(%rsp),%rsp", kRedZone + 16).moved(-kRedZone - 16);
  }
  return out.take();
}

}  // namespace

int64_t place_left_by_context() { return kWidening - kKept; }

std::string leave_context(const PathHolder &h, const ContextExit &exit) {
  if (exit.shared) return leave_shared_context(h, exit);
  Lines out(exit.unwinding);
  if (h.kind == PathHolder::Kind::saved) {
    out.line("movq\t{},{}(%rsp)", reg(h.reg), 8 + kWidening - kKept).line("popq\t{}", kSite).moved(-8);
    out.line("popq\t{}", reg(h.reg)).moved(-8).rule(fmt::format(".cfi_restore {}", dwarf_number(h.reg)));
  }
  if (h.kind == PathHolder::Kind::slot) {
    out.line("leaq\t8(%rsp),%rsp").moved(-8).line("popq\t{}", kSite).moved(-8);
  }
  return out.take();
}

namespace {

// `at` holds the holder; then the record's address, or as much more as is known. Spoils flags if that is not known.
void drop_distance(Lines &out, const RecordDistance &ahead, const std::string &at) {
  if (ahead.span != 0) out.line("andq\t${},{}", -(int64_t{1} << ahead.span), at);
}

// `at`: the address of the jump's slot, which has been told what to put back.
void choose_site(Lines &out, const ContextJump &jump, const std::string &at) {
  out.line("cmpq\t$0,{}(%rip)", jump.known).line("jne\t{}", jump.label).line("movq\t8({0}),{0}", at);
  out.label(jump.label).line("movq\t{},{}", at, kSite);
}

// From the holder to the slot.
void find_slot(Lines &out, const ContextJump &jump, const std::string &at) {
  drop_distance(out, jump.ahead, at);
  out.line("leaq\t{0}({1}),{1}", jump.slot - jump.ahead.bytes, at);
}

// Without a dead register: one is kept below the frame.
void leave_pressed(Lines &out, const ContextJump &jump) {
  const std::string other = reg(r11);
  step_over_popped(out).line("pushq\t{}", other).moved(8).line("movq\t{}(%rsp),{}", kRedZone + 8, other);
  find_slot(out, jump, other);
  out.line("pushq\t{}(%rsp)", kRedZone + 16).moved(8).line("popq\t8({})", other).moved(-8);
  choose_site(out, jump, other);
  out.line("popq\t{}", other).moved(-8).line("leaq\t{}(%rsp),%rsp", kRedZone + 16).moved(-kRedZone - 16);
}

}  // namespace

std::string leave_context_for(const PathHolder &h, const ContextJump &jump, bool unwinding) {
  Lines out(unwinding);
  std::string record = in_register(h) ? reg(h.reg) : "", other = jump.scratch == kNoRegister ? "" : reg(jump.scratch);
  const int64_t slot = jump.slot - jump.ahead.bytes;
  if (h.kind == PathHolder::Kind::free) {
    drop_distance(out, jump.ahead, record);
    out.line("movq\t{},{}", kSite, other).line("movq\t8({0}),{0}", other).line("movq\t{},{}({})", other, slot + 8, record);
    out.line("cmpq\t$0,{}(%rip)", jump.known).line("je\t{}", jump.label).line("leaq\t{}({}),{}", slot, record, other);
    out.label(jump.label).line("movq\t{},{}", other, kSite);
  } else if (h.kind == PathHolder::Kind::saved) {
    out.line("movq\t{},{}(%rsp)", record, 8 + kWidening - kKept);
    find_slot(out, jump, record);
    out.line("popq\t8({})", record).moved(-8);
    choose_site(out, jump, record);
    out.line("popq\t{}", record).moved(-8).rule(fmt::format(".cfi_restore {}", dwarf_number(h.reg)));
  } else if (jump.scratch != kNoRegister) {
    out.line("popq\t{}", other).moved(-8);
    find_slot(out, jump, other);
    out.line("popq\t8({})", other).moved(-8);
    choose_site(out, jump, other);
  } else {
    leave_pressed(out, jump);
  }
  return out.take();
}

namespace {

// Runs `body(registers, bytes the stack pointer is lower)` with `count` registers that are dead, or kept beyond the red zone. `spoils_flags`: flags are
// kept, too, if somebody wants them. `red_zone`: is there anything in it? Before a call there is not.
template <class Body>
Snippet with_registers(Resources live, unsigned count, bool spoils_flags, Body body, bool red_zone = true) {
  const bool keeps_flags = spoils_flags && (live & kFlags);
  std::array<unsigned, 2> free = {kNoRegister, kNoRegister};
  Resources taken = live;
  for (unsigned i = 0; i < count; ++i) {
    free[i] = scratch_register(taken);
    if (free[i] != kNoRegister) taken |= general(free[i]);
  }
  const bool pressed = count != 0 && free[count - 1] == kNoRegister;
  if (!pressed && !keeps_flags) return body(free, int64_t{0});
  if (pressed) free = {r11, r10};
  std::string before = red_zone ? move_stack(-kRedZone) : "", after = red_zone ? move_stack(kRedZone) : "";
  int64_t moved = red_zone ? kRedZone : 0;
  for (unsigned i = 0; pressed && i < count; ++i, moved += 8) {
    before += push(free[i]);
    after = pop(free[i]) + after;
  }
  if (keeps_flags) {
    before += "\tpushfq\n\t.cfi_adjust_cfa_offset 8\n";
    after = "\tpopfq\n\t.cfi_adjust_cfa_offset -8\n" + after;
    moved += 8;
  }
  Snippet inner = body(free, moved);
  inner.text = before + inner.text + after;
  inner.tail += after.size();
  inner.price += (red_zone ? 2 : 0) + (pressed ? 2 * count : 0) + (keeps_flags ? 2 : 0);
  inner.moves_stack = true;
  return inner;
}

std::string frame_word(const PathHolder &h, int64_t moved) {
  return fmt::format("{}({})", h.displacement + (h.base == kStackPointer ? moved : 0), reg(h.base));
}

}  // namespace

Snippet name_call(const PathHolder &h, const NamedCall &call, Resources live) {
  if (in_register(h)) live |= general(h.reg);
  const bool masks = call.ahead.span != 0;
  if (call.may_move && in_register(h) && !call.shared && !masks && scratch_register(live) == kNoRegister) {
    const std::string holder = reg(h.reg);
    return {fmt::format("\tleaq\t{0}({1}),{1}\n\tmovq\t{1},{2}\n\tleaq\t{3}({1}),{1}\n", call.slot, holder, kSite, -call.slot), 3};
  }
  return with_registers(live, call.shared ? 2 : 1, masks, [&](const std::array<unsigned, 2> &free, int64_t moved) -> Snippet {
    Lines out(true);
    const std::string slot = reg(free[0]);
    std::string from = in_register(h) ? reg(h.reg) : slot;
    if (!in_register(h)) out.line("movq\t{},{}", frame_word(h, moved), slot);
    if (masks && in_register(h)) out.line("movq\t{},{}", from, slot);
    drop_distance(out, call.ahead, slot);
    out.line("leaq\t{}({}),{}", call.slot - call.ahead.bytes, masks ? slot : from, slot);
    if (call.shared) {
      find_site(out, reg(free[1]));
      out.line("movq\t{},({})", slot, reg(free[1]));
    } else {
      out.line("movq\t{},{}", slot, kSite);
    }
    return {out.take(), (in_register(h) && !masks ? 2u : 3u) + (masks ? 1 : 0) + (call.shared ? 2 : 0)};
  }, call.red_zone);
}

Snippet advance_in_record(const PathHolder &h, int64_t amount, Resources live) {
  const int64_t bytes = 8 * amount;
  if (amount == 0) return {};
  if (in_register(h)) return {fmt::format("\tleaq\t{0}({1}),{1}\n", bytes, reg(h.reg)), 1};
  if (!(live & kFlags)) return {fmt::format("\taddq\t${},{}\n", bytes, frame_word(h, 0)), 1};
  return with_registers(live, 1, false, [&](const std::array<unsigned, 2> &free, int64_t moved) -> Snippet {
    const std::string word = frame_word(h, moved), other = reg(free[0]);
    return {fmt::format("\tmovq\t{0},{1}\n\tleaq\t{2}({1}),{1}\n\tmovq\t{1},{0}\n", word, other, bytes), 3};
  });
}

Snippet return_to_record(const PathHolder &h, unsigned span, Resources live) {
  if (in_register(h)) live |= general(h.reg);
  return with_registers(live, 0, true, [&](const std::array<unsigned, 2> &, int64_t moved) -> Snippet {
    return {fmt::format("\tandq\t${},{}\n", -(int64_t{1} << span), in_register(h) ? reg(h.reg) : frame_word(h, moved)), 1};
  });
}

}  // namespace chord::isa
