#include "isa/x86_64/model_text.h"

#include <chord_abi.h>
#include <fmt/core.h>

namespace chord::isa {

Resources register_of(const AnyPlace &counter) {
  const auto *record = std::get_if<RecordPlace>(&counter);
  bool in_register = record != nullptr && record->holder.kind != PathHolder::Kind::slot && record->holder.kind != PathHolder::Kind::none;
  return in_register ? general(record->holder.reg) : 0;
}

Scratch take_scratch(Resources live, size_t count, Resources not_these) {
  Scratch out;
  out.keeps_flags = (live & kFlags) != 0;
  bool holds_rax = out.keeps_flags && (live & general(rax));
  size_t wanted = count + (holds_rax ? 1 : 0);
  for (bool dead : {true, false}) {
    for (unsigned r : kScratch) {
      bool is_dead = !(live & general(r));
      if (out.registers.size() == wanted || (not_these & general(r)) || is_dead != dead || (r == rax && out.keeps_flags)) continue;
      out.registers.push_back(r);
      if (!dead) out.saved.push_back(r);
    }
  }
  if (holds_rax) {
    out.rax_in = out.registers.back();
    out.registers.pop_back();
  }
  return out;
}

Snippet keep(const Scratch &scratch, const std::string &address, Snippet body, Resources live) {
  if (scratch.keeps_flags) keep_flags(body, live, scratch.rax_in);
  body.tail = 0;  // nothing is counted in line
  body.text = address + body.text;
  body.price += 1;
  if (scratch.saved.empty()) return body;
  std::string before = move_stack(-kRedZone), after;
  for (unsigned r : scratch.saved) {
    before += push(r);
    after = pop(r) + after;
  }
  after += move_stack(kRedZone);
  body.text = before + body.text + after;
  body.price += 2 + 2 * static_cast<unsigned>(scratch.saved.size());
  body.moves_stack = true;
  body.depth_at_check = scratch.depth();
  return body;
}

CounterArgument counter_argument(const AnyPlace &place, unsigned free, int depth) {
  auto pushed = [](const std::string &text, const char *suffix) { return CounterArgument{text + kWord, suffix}; };
  if (const auto *counter = std::get_if<CounterPlace>(&place)) {
    int64_t offset = 8 * counter->index;
    if (counter->kind == CounterPlace::Kind::thread_local_exec) return pushed(fmt::format("\tpushq\t${}@tpoff{:+}\n", counter->label, offset), "_here");
    bool delta = counter->kind == CounterPlace::Kind::thread_delta;
    return pushed(fmt::format("\tleaq\t{0}{1:+}(%rip),{2}\n\tpushq\t{2}\n", counter->label, offset, reg(free)), delta ? "_shared" : "_at");
  }
  const auto &record = std::get<RecordPlace>(place);
  const PathHolder &h = record.holder;
  int64_t offset = CHORD_CONTEXT_COUNTERS + 8 * record.index;
  std::string round = record.span == 0 ? "" : fmt::format("\tandq\t${},{}\n", -(int64_t{1} << record.span), reg(free));
  if (h.kind != PathHolder::Kind::slot && round.empty())
    return pushed(fmt::format("\tleaq\t{}({}),{}\n\tpushq\t{}\n", offset, reg(h.reg), reg(free), reg(free)), "_at");
  int64_t displacement = h.displacement + (h.base == kStackPointer ? depth : 0);
  std::string from = h.kind != PathHolder::Kind::slot ? reg(h.reg) : fmt::format("{}({})", displacement, reg(h.base));
  return pushed(fmt::format("\tmovq\t{0},{1}\n{2}\tleaq\t{3}({1}),{1}\n\tpushq\t{1}\n", from, reg(free), round, offset), "_at");
}

namespace {

std::string moved(const DataAddress &at, int64_t by) {
  if (by == 0) return at.operand;
  // An absolute address, or one relative to the instruction: an expression.
  std::string text = move_displacement(at.operand, at.intel_syntax, by);
  return text;
}

}  // namespace

std::string compute_address(const DataAddress &at, unsigned into, int depth) {
  int64_t plus = at.plus + (at.on_stack ? depth : 0);
  if (at.operand.empty()) return fmt::format("\tleaq\t{}({}),{}\n", plus, reg(at.base), reg(into));
  if (!at.intel_syntax) return fmt::format("\tleaq\t{},{}\n", moved(at, plus), reg(into));
  return fmt::format("\t.intel_syntax noprefix\n\tlea\t{}, {}\n\t.att_syntax prefix\n", reg(into).substr(1), moved(at, plus));
}

}  // namespace chord::isa
