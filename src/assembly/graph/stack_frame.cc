#include "assembly/graph/stack_frame.h"

#include <fmt/core.h>

#include <optional>

#include "assembly/graph/unwind_info.h"
#include "isa/code_text.h"

namespace chord::assembly {
namespace {

constexpr int64_t kUnknown = StackState::kUnknown;
constexpr int64_t kWord = 8;

std::string_view bytes_of(const Unit &unit, const Procedure &p, const Instruction &in) {
  std::string_view section = unit.layout.contents[p.fragments[in.fragment].section];
  return section.substr(in.offset, in.decoded.size);
}

class Analysis {
 public:
  Analysis(const Unit &unit, const Procedure &p) : unit_(unit), source_(*unit.source), p_(p) {
    for (const Fragment &f : p.fragments) rules_.emplace_back(source_, f);
    out_.before.resize(p.instructions.size());
    out_.block_in.resize(p.blocks.size());
  }

  StackFrame run() {
    solve();
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) {
      for (uint32_t i = p_.blocks[b].first; i < p_.blocks[b].first + p_.blocks[b].count; ++i) check(i);
    }
    for (const Edge &e : p_.edges) check_exit(e);
    for (const Fragment &f : p_.fragments) check_rules(f);
    return std::move(out_);
  }

 private:
  // ---- data flow ----

  void solve() {
    StackState entry;
    entry.reached = true;
    entry.offset[isa::kStackPointer] = 0;
    std::vector<std::vector<core::Vertex>> next(p_.blocks.size());
    std::vector<bool> from_code(p_.blocks.size());
    for (size_t e = 1; e < p_.edges.size(); ++e) {
      next[p_.edges[e].from].push_back(p_.edges[e].to);
      if (p_.edges[e].from != 0) from_code[p_.edges[e].to] = true;
    }
    for (size_t e = 1; e < p_.edges.size(); ++e) {
      const Edge &x = p_.edges[e];
      if (x.from != 0) continue;
      if (x.kind == EdgeKind::enter) {
        join(x.to, entry);
      } else if (!from_code[x.to]) {
        for (core::Vertex w : next[x.to].empty() || x.kind == EdgeKind::never ? std::vector{x.to} : next[x.to]) {
          join(w, state_of_rules(w));
        }
        if (x.kind != EdgeKind::never) out_.block_in[x.to].reached = true;
      }
    }
    while (!work_.empty()) {
      uint32_t b = work_.back();
      work_.pop_back();
      StackState state = out_.block_in[b];
      for (uint32_t i = p_.blocks[b].first; i < p_.blocks[b].first + p_.blocks[b].count; ++i) {
        adopt_rules(i, state);
        out_.before[i] = state;
        step(p_.instructions[i], state);
      }
      for (uint32_t w : next[b]) join(w, state);
    }
  }

  void join(uint32_t b, const StackState &state) {
    StackState &known = out_.block_in[b];
    StackState merged = state;
    if (known.reached) {
      for (size_t r = 0; r < merged.offset.size(); ++r) {
        if (known.offset[r] != state.offset[r]) merged.offset[r] = kUnknown;
      }
    }
    merged.reached = true;
    if (merged == known) return;
    known = merged;
    work_.push_back(b);
  }

  // What the unwind rules say of the place where a block begins: for control that
  // comes from outside, and for dead code.
  StackState state_of_rules(uint32_t b) const {
    StackState state;
    state.reached = true;
    if (p_.blocks[b].count == 0) return state;
    const Instruction &first = p_.instructions[p_.blocks[b].first];
    const UnwindRules &rules = rules_[first.fragment].before(first.first_statement);
    if (!rules.active || !rules.frame_escape.empty()) return state;
    int64_t offset = kWord - rules.frame_offset;
    if (rules.frame_follows_stack_pointer()) {
      state.offset[isa::kStackPointer] = offset;
    } else if (isa::is_frame_pointer_rule(rules.frame_register)) {
      state.offset[isa::kFramePointer] = offset;
    }
    return state;
  }

  // After a loop that moves the stack pointer page by page, only the rules know.
  void adopt_rules(uint32_t i, StackState &state) const {
    if (state.offset[isa::kStackPointer] != kUnknown) return;
    const Instruction &in = p_.instructions[i];
    const UnwindRules &rules = rules_[in.fragment].before(in.first_statement);
    if (rules.frame_follows_stack_pointer()) state.offset[isa::kStackPointer] = kWord - rules.frame_offset;
  }

  void step(const Instruction &in, StackState &state) const {
    if (in.padding) return;
    isa::StackUse use = isa::stack_use(bytes_of(unit_, p_, in));
    int64_t sum = kUnknown;
    if (use.target != isa::kNoRegister && use.source != isa::kNoRegister && state.offset[use.source] != kUnknown) {
      sum = state.offset[use.source] + use.amount;
    }
    int64_t sp = state.offset[isa::kStackPointer];
    isa::Resources changed = in.decoded.writes;
    if (in.decoded.flow == isa::Flow::call) changed |= isa::call_clobbers();
    for (unsigned r = 0; r < state.offset.size(); ++r) {
      if (changed & isa::register_numbered(r)) state.offset[r] = kUnknown;
    }
    if (in.decoded.flow == isa::Flow::call) {
      state.offset[isa::kStackPointer] = sp;
    } else if (use.target != isa::kNoRegister) {
      state.offset[use.target] = sum;
      if (use.target == isa::kStackPointer && sum != kUnknown) state.offset[use.target] += use.moves;
    } else if (use.moves != 0 && sp != kUnknown) {
      state.offset[isa::kStackPointer] = sp + use.moves;
    }
  }

  // ---- what speaks against it ----

  void refuse(const Instruction &in, std::string_view why) {
    if (!out_.why_not.empty()) return;
    const Statement &s = source_.statements[in.first_statement];
    out_.why_not = fmt::format("{} ({})", why, source_.text.substr(s.begin, source_.statements[in.last_statement].end - s.begin));
  }

  void check(uint32_t i) {
    const Instruction &in = p_.instructions[i];
    const StackState &state = out_.before[i];
    if (in.padding || !state.reached) return;
    isa::StackUse use = isa::stack_use(bytes_of(unit_, p_, in));
    if (use.pops && state.offset[isa::kStackPointer] != kUnknown && use.target == isa::kNoRegister) {
      if (state.offset[isa::kStackPointer] >= 0) refuse(in, "it takes its own return address off the stack");
      if (use.base == isa::kStackPointer) refuse(in, "it pops a word to a place on the stack");
    }
    if (in.decoded.stack == isa::StackMove::unknown && use.base != isa::kNoRegister && !use.computes_address) refuse(in, "it loads another stack pointer");
    if (use.base != isa::kNoRegister) check_operand(i, in, state, use);
    if (use.target != isa::kNoRegister && use.source != isa::kNoRegister && !use.computes_address &&
        state.offset[use.source] != kUnknown && use.amount != 0 && state.offset[use.source] + use.amount > 0) {
      refuse(in, "it computes an address above its return address");
    }
  }

  void check_operand(uint32_t i, const Instruction &in, const StackState &state, const isa::StackUse &use) {
    if (state.offset[use.base] == kUnknown) {
      if (use.base == isa::kFramePointer && has_frame_pointer()) refuse(in, "where its frame pointer stands is not known");
      return;
    }
    int64_t place = state.offset[use.base] + use.displacement;
    if (use.computes_address && place == kWord && is_variadic()) {
      out_.above.push_back(i);  // va_start: the arguments that came by the stack
      return;
    }
    if (use.computes_address || use.indexed) {
      if (place > 0) refuse(in, "it computes an address above its return address");
      return;
    }
    if (place >= 0) {
      out_.above.push_back(i);
    } else if (place + use.bytes > 0) {
      refuse(in, "it accesses its return address and what lies below as one");
    }
  }

  bool has_frame_pointer() {
    if (frame_pointer_) return *frame_pointer_;
    frame_pointer_ = false;
    for (const Instruction &in : p_.instructions) {
      if (in.padding) continue;
      isa::StackUse use = isa::stack_use(bytes_of(unit_, p_, in));
      bool copies = use.target == isa::kFramePointer && use.source == isa::kStackPointer && !use.computes_address;
      frame_pointer_ = *frame_pointer_ || copies;
    }
    return *frame_pointer_;
  }

  // Functions with a variable number of arguments are told in %al how many came in vector
  // registers, and look before anything else writes it.
  bool is_variadic() {
    if (variadic_) return *variadic_;
    variadic_ = false;
    const isa::Resources al = isa::register_numbered(0);
    for (uint32_t b = 2; b < p_.blocks.size() && !*variadic_; ++b) {
      if (out_.block_in[b].offset[isa::kStackPointer] == kUnknown || p_.blocks[b].count == 0) continue;
      if (p_.instructions[p_.blocks[b].first].offset != p_.fragments[0].begin) continue;
      for (uint32_t i = p_.blocks[b].first; i < p_.blocks[b].first + p_.blocks[b].count; ++i) {
        const isa::Decoded &d = p_.instructions[i].decoded;
        if ((d.reads & al) && d.mnemonic == "test") variadic_ = true;
        if ((d.writes & al) || d.flow == isa::Flow::call) break;
      }
    }
    return *variadic_;
  }

  void check_exit(const Edge &e) {
    if (e.kind != EdgeKind::leave && e.kind != EdgeKind::tail_call) return;
    uint32_t i = p_.blocks[e.from].first + p_.blocks[e.from].count - 1;
    const Instruction &last = p_.instructions[i];
    if (last.decoded.traps) return;
    if (out_.before[i].offset[isa::kStackPointer] != 0) refuse(last, "it is left with the stack pointer elsewhere than at its start");
  }

  void check_rules(const Fragment &f) {
    for (uint32_t s = start_of_rules(source_, f); s < f.last_statement; ++s) {
      const Statement &x = source_.statements[s];
      if (x.section != f.section || !x.name.starts_with(".cfi_")) continue;
      std::string_view what = x.name.substr(5);
      for (std::string_view known : {"startproc", "endproc", "def_cfa", "def_cfa_register", "def_cfa_offset",
                                     "adjust_cfa_offset", "remember_state", "restore_state", "offset", "rel_offset",
                                     "restore", "undefined", "same_value", "personality", "lsda", "sections"}) {
        if (what == known) what = {};
      }
      if (!what.empty() && out_.why_not.empty()) out_.why_not = fmt::format("its unwind rules use {}", x.name);
    }
  }

  const Unit &unit_;
  const Source &source_;
  const Procedure &p_;
  std::vector<UnwindInfo> rules_;  // by fragment
  std::vector<uint32_t> work_;
  std::optional<bool> frame_pointer_, variadic_;
  StackFrame out_;
};

// Callee-saved registers that the procedure changes but never writes to memory.
bool loses_registers(const Procedure &p) {
  isa::Resources changed = 0, kept = 0;
  bool returns = false;
  for (const Instruction &in : p.instructions) {
    if (in.padding) continue;
    changed |= in.decoded.writes;
    bool stores = (in.decoded.traits & isa::kStore) != 0;
    if (stores && in.decoded.flow != isa::Flow::call) kept |= in.decoded.reads;
    returns = returns || (in.decoded.traits & isa::kReturn);
  }
  return returns && (changed & isa::callee_saved() & ~kept) != 0;
}

}  // namespace

StackFrame analyse_stack(const Unit &unit, const Procedure &procedure) { return Analysis(unit, procedure).run(); }

bool follows_other_convention(const Unit &unit) {
  for (const Procedure &p : unit.procedures) {
    if (p.skipped.empty() && loses_registers(p)) return true;
  }
  return false;
}

}  // namespace chord::assembly
