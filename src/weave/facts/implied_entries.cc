#include "weave/facts/implied_entries.h"

#include <algorithm>

#include "core/graph/graph.h"

namespace chord::weave {

using assembly::Statement;
using assembly::StatementKind;
using core::kNone;

namespace {

class CallFinder {
 public:
  CallFinder(const assembly::Unit &unit, const std::vector<bool> &woven)
      : unit_(unit), source_(*unit.source), woven_(woven), implied_(unit.procedures.size()),
        callers_(unit.procedures.size()), owner_(source_.statements.size(), kNone),
        is_call_(source_.statements.size()) {}

  std::vector<bool> run() {
    for (uint32_t n = 0; n < unit_.procedures.size(); ++n) implied_[n] = woven_[n] && !unit_.procedures[n].global;
    own_statements();
    for (uint32_t n = 0; n < unit_.procedures.size(); ++n) {
      if (woven_[n]) collect_calls(n);
    }
    look_at_statements();
    break_cycles();
    return implied_;
  }

 private:
  void own_statements() {
    for (uint32_t n = 0; n < unit_.procedures.size(); ++n) {
      for (const assembly::Fragment &f : unit_.procedures[n].fragments) {
        for (uint32_t s = f.first_statement; s < f.last_statement; ++s) {
          if (source_.statements[s].section == f.section) owner_[s] = n;
        }
      }
    }
  }

  void collect_calls(uint32_t n) {
    for (const assembly::Instruction &in : unit_.procedures[n].instructions) {
      if (in.padding || in.decoded.indirect) continue;
      if (in.decoded.flow != isa::Flow::call && in.decoded.flow != isa::Flow::jump) continue;
      std::string_view operand = assembly::trim(source_.statements[in.last_statement].operands);
      if (operand.ends_with("@PLT")) operand.remove_suffix(4);
      auto found = unit_.entry_named.find(operand);
      if (found == unit_.entry_named.end()) continue;
      const assembly::Procedure &callee = unit_.procedures[found->second];
      // A jump to some other label there is the procedure's own loop.
      if (operand != callee.name && found->second != n) continue;
      is_call_[in.last_statement] = true;
      if (operand == callee.name) callers_[found->second].push_back(n);
    }
  }

  void look_at_statements() {
    std::vector<uint32_t> before(source_.sections.size(), kNone);  // last instruction of each section
    for (uint32_t s = 0; s < source_.statements.size(); ++s) {
      const Statement &statement = source_.statements[s];
      if (statement.kind == StatementKind::label) {
        auto found = unit_.entry_named.find(statement.name);
        uint32_t last = before[statement.section];
        if (found != unit_.entry_named.end() && last != kNone && !is_woven(owner_[last])) implied_[found->second] = false;
        continue;
      }
      if (statement.kind == StatementKind::instruction) before[statement.section] = s;
      if (!is_call_[s] && !assembly::is_harmless_mention(statement) && !source_.sections[statement.section].debug) refuse_mentioned(s);
    }
  }

  bool is_woven(uint32_t n) const { return n != kNone && woven_[n]; }

  void refuse_mentioned(uint32_t s) {
    const Statement &statement = source_.statements[s];
    bool assigns = statement.kind == StatementKind::assignment;
    for (std::string_view name : assembly::symbols_in(assigns ? text_of(statement) : statement.operands)) {
      auto found = unit_.entry_named.find(name);
      if (found == unit_.entry_named.end()) continue;
      // The loop that starts where the procedure does is its own matter.
      bool own_branch = owner_[s] == found->second && statement.kind == StatementKind::instruction &&
                        name != unit_.procedures[found->second].name && statement.name.starts_with("j");
      if (!own_branch) implied_[found->second] = false;
    }
  }

  std::string_view text_of(const Statement &s) const {
    return std::string_view(source_.text).substr(s.begin, s.end - s.begin);
  }

  // Those whose number of entries would depend on itself are counted after all.
  void break_cycles() {
    for (uint32_t n = 0; n < implied_.size(); ++n) {
      if (implied_[n] && depends_on_itself(n)) implied_[n] = false;
    }
  }

  bool depends_on_itself(uint32_t n) const {
    std::vector<uint32_t> todo{n};
    std::vector<bool> seen(implied_.size());
    while (!todo.empty()) {
      uint32_t at = todo.back();
      todo.pop_back();
      for (uint32_t caller : callers_[at]) {
        if (caller == n) return true;
        if (!implied_[caller] || seen[caller]) continue;
        seen[caller] = true;
        todo.push_back(caller);
      }
    }
    return false;
  }

  const assembly::Unit &unit_;
  const assembly::Source &source_;
  const std::vector<bool> &woven_;
  std::vector<bool> implied_;                  // by procedure
  std::vector<std::vector<uint32_t>> callers_;  // by procedure
  std::vector<uint32_t> owner_;                // by statement: the procedure it is in
  std::vector<bool> is_call_;                  // by statement
};

}  // namespace

std::vector<bool> find_implied_entries(const assembly::Unit &unit, const std::vector<bool> &woven) {
  return CallFinder(unit, woven).run();
}

}  // namespace chord::weave
