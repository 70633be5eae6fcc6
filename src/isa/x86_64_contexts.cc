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
#include "isa/x86_64_registers.h"
#include "isa/x86_64_text.h"

namespace chord::isa {
namespace {

constexpr const char *kSite = "%fs:" CHORD_SITE_SYMBOL "@tpoff";
constexpr const char *kLink = CHORD_LINK_SYMBOL "@gottpoff(%rip)";
// Where the record is on the way out, below the caller's stack pointer (runtime/call_tree.h). Deeper than any register that a
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
    out.line("pushq\t{}", other).moved(8);
    find_site(out, other);
    out.line("pushq\t16(%rsp)").moved(8).line("popq\t({})", other).moved(-8);
    out.line("popq\t{}", other).moved(-8).line("leaq\t16(%rsp),%rsp").moved(-16);
  }
  return out.take();
}

}  // namespace

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

// `at`: the address of the jump's slot, which has been told what to put back.
void choose_site(Lines &out, const ContextJump &jump, const std::string &at) {
  out.line("cmpq\t$0,{}(%rip)", jump.known).line("jne\t{}", jump.label).line("movq\t8({0}),{0}", at);
  out.label(jump.label).line("movq\t{},{}", at, kSite);
}

// Without a dead register: one is kept below the frame.
void leave_pressed(Lines &out, const ContextJump &jump) {
  const std::string other = reg(r11);
  out.line("pushq\t{}", other).moved(8).line("movq\t8(%rsp),{}", other).line("leaq\t{0}({1}),{1}", jump.slot, other);
  out.line("pushq\t16(%rsp)").moved(8).line("popq\t8({})", other).moved(-8);
  choose_site(out, jump, other);
  out.line("popq\t{}", other).moved(-8).line("leaq\t16(%rsp),%rsp").moved(-16);
}

}  // namespace

std::string leave_context_for(const PathHolder &h, const ContextJump &jump, bool unwinding) {
  Lines out(unwinding);
  std::string record = in_register(h) ? reg(h.reg) : "", other = jump.scratch == kNoRegister ? "" : reg(jump.scratch);
  if (h.kind == PathHolder::Kind::free) {
    out.line("movq\t{},{}", kSite, other).line("movq\t8({0}),{0}", other).line("movq\t{},{}({})", other, jump.slot + 8, record);
    out.line("cmpq\t$0,{}(%rip)", jump.known).line("je\t{}", jump.label).line("leaq\t{}({}),{}", jump.slot, record, other);
    out.label(jump.label).line("movq\t{},{}", other, kSite);
  } else if (h.kind == PathHolder::Kind::saved) {
    out.line("movq\t{},{}(%rsp)", record, 8 + kWidening - kKept).line("leaq\t{0}({1}),{1}", jump.slot, record).line("popq\t8({})", record).moved(-8);
    choose_site(out, jump, record);
    out.line("popq\t{}", record).moved(-8).rule(fmt::format(".cfi_restore {}", dwarf_number(h.reg)));
  } else if (jump.scratch != kNoRegister) {
    out.line("popq\t{}", other).moved(-8).line("leaq\t{0}({1}),{1}", jump.slot, other).line("popq\t8({})", other).moved(-8);
    choose_site(out, jump, other);
  } else {
    leave_pressed(out, jump);
  }
  return out.take();
}

namespace {

Snippet name_shared_call(const PathHolder &h, int64_t slot, Resources live) {
  unsigned first = scratch_register(live), second = first == kNoRegister ? kNoRegister : scratch_register(live | general(first));
  const bool pressed = second == kNoRegister;
  if (pressed) first = r11, second = r10;
  std::string text, from = reg(in_register(h) ? h.reg : first);
  if (!in_register(h)) {
    int64_t displacement = h.displacement + (pressed && h.base == kStackPointer ? kRedZone + 16 : 0);
    text = fmt::format("\tmovq\t{}({}),{}\n", displacement, reg(h.base), from);
  }
  text += fmt::format("\tleaq\t{}({}),{}\n", slot, from, reg(first));
  text += fmt::format("\tmovq\t{0},{1}\n\tmovq\t%fs:({1}),{1}\n\tmovq\t{2},({1})\n", kLink, reg(second), reg(first));
  unsigned price = in_register(h) ? 4 : 5;
  if (!pressed) return {text, price};
  return {move_stack(-kRedZone) + push(first) + push(second) + text + pop(second) + pop(first) + move_stack(kRedZone), price + 6, true};
}

}  // namespace

Snippet name_call(const PathHolder &h, int64_t slot, Resources live, bool shared) {
  if (in_register(h)) live |= general(h.reg);
  if (shared) return name_shared_call(h, slot, live);
  unsigned free = scratch_register(live), other = free == kNoRegister ? r11 : free;
  int64_t moved = free == kNoRegister ? kRedZone + 8 : 0;
  std::string text, from = reg(in_register(h) ? h.reg : other);
  if (!in_register(h)) {
    int64_t displacement = h.displacement + (h.base == kStackPointer ? moved : 0);
    text = fmt::format("\tmovq\t{}({}),{}\n", displacement, reg(h.base), from);
  }
  text += fmt::format("\tleaq\t{}({}),{}\n\tmovq\t{},{}\n", slot, from, reg(other), reg(other), kSite);
  unsigned price = in_register(h) ? 2 : 3;
  if (moved == 0) return {text, price};
  return {move_stack(-kRedZone) + push(other) + text + pop(other) + move_stack(kRedZone), price + 4, true};
}

}  // namespace chord::isa
