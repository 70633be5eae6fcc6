#include "verify/evidence/frame.h"

#include <algorithm>

#include "verify/program/usual_convention.h"

namespace chord::verify {
namespace {

StackState meet(const StackState &a, const StackState &b) {
  StackState out;
  for (unsigned r = 0; r < out.size(); ++r) {
    if (a[r] == b[r]) out[r] = a[r];
  }
  return out;
}

}  // namespace

Frame::Frame(const Program &program, const Tables &tables, uint32_t function, std::set<uint32_t> moved, const std::vector<bool> *stays)
    : p_(program), function_(function), moved_(std::move(moved)) {
  const Function &f = p_.functions()[function];
  StackState start{};
  start[kRsp] = {true, 0, false};
  if (f.entry != kNone) flow(f.entry, start);
  auto drain = [&] {
    while (!waiting_.empty()) {
      uint32_t i = waiting_.back();
      waiting_.pop_back();
      const Instr &in = p_.instrs()[i];
      StackState after = behind(i, before_.at(i));
      bool falls = in.facts.flow == Flow::next || in.facts.flow == Flow::conditional || in.facts.flow == Flow::call;
      if (falls && in.next != kNone && !in.dead_end) flow(in.next, after);
      bool jumps = in.facts.flow == Flow::jump || in.facts.flow == Flow::conditional;
      if (jumps && in.target != kNone) flow(in.target, after);
      if (in.facts.flow == Flow::jump && in.facts.indirect && (*stays)[i]) {
        for (uint32_t to : tables.targets(i)) flow(to, after);
      }
      // The unwinder brings back what calls preserve.
      if (in.facts.flow == Flow::call) land(f, in, after);
    }
  };
  drain();
  for (uint32_t i : f.instructions) {
    if (before_.contains(i)) check(i);
  }
}

std::optional<int64_t> Frame::at(uint32_t i, unsigned reg) const {
  auto found = before_.find(i);
  if (found == before_.end() || !found->second[reg].known || found->second[reg].above) return std::nullopt;
  return found->second[reg].at;
}

void Frame::land(const Function &f, const Instr &call, const StackState &after) {
  for (size_t k = 0; k < f.landings.size(); ++k) {
    if (f.regions[k].from <= call.first && call.last <= f.regions[k].to) flow(f.landings[k], after);
  }
}

void Frame::flow(uint32_t i, const StackState &state) {
  if (p_.instrs()[i].function != function_) return;
  auto [at, first] = before_.emplace(i, state);
  if (!first) {
    StackState next = meet(at->second, state);
    if (next == at->second) return;
    at->second = next;
  }
  waiting_.push_back(i);
}

StackState Frame::behind(uint32_t i, const StackState &state) const {
  const Facts &x = p_.instrs()[i].facts;
  StackState out = state;
  for (unsigned r = 0; r < out.size(); ++r) {
    bool lost = (x.writes & general(r)) || (x.flow == Flow::call && !(kPreserved & general(r)));
    if (lost && !(x.flow == Flow::call && r == kRsp)) out[r] = {};
  }
  if (x.leaves_frame) {
    out[kRsp] = state[kRbp];
    out[kRsp].at += 8;
  } else if (x.stack_move != 0) {
    if (x.popped != kRsp) {
      out[kRsp] = state[kRsp];
      out[kRsp].at += x.stack_move;
    }
  } else if (x.sum.into != kNoRegister && !x.sum.half) {
    StackAddress from = state[x.sum.from];
    from.at += x.sum.plus;
    if (moved_.contains(i)) from.above = true;
    if (from.known) out[x.sum.into] = from;
  }
  return out;
}

// What lies above the words that were added must be reached above them, and all else below.
void Frame::check(uint32_t i) {
  if (!fault_.empty()) return;
  const Facts &x = p_.instrs()[i].facts;
  if (x.memory.only_address && x.sum.into == kRsp) return;  // moves the stack pointer, and reaches nothing
  const StackState &state = before_.at(i);
  auto fail = [&](const char *what) {
    fault_ = what;
    fault_at_ = i;
  };
  if (x.loads_stack_pointer) return fail("another stack pointer is loaded");
  bool moved = moved_.contains(i);
  StackAddress base = x.memory.present && x.memory.base != kNoRegister ? state[x.memory.base] : StackAddress{};
  if (!base.known) {
    if (moved) fail("an operand was moved that is not known to lie in the frame");
    return;
  }
  int64_t at = base.at + x.memory.displacement;
  bool reaches_above = base.above != moved && (base.above || moved);
  if (base.above && moved) return fail("an operand was moved twice");
  if (at >= 0 && !reaches_above) return fail("an operand above the frame was not moved");
  if (at < 0 && reaches_above) return fail("an operand in the frame was moved");
}

}  // namespace chord::verify
