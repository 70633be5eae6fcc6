#include "assembly/unit/known_callers.h"

#include <algorithm>

namespace chord::assembly {
namespace {

class CallerFinder {
 public:
  explicit CallerFinder(Unit &unit)
      : unit_(unit), source_(*unit.source), reading_(source_.statements.size(), Reading::none),
        materialised_(unit.procedures.size()) {}

  void run() {
    for (Procedure &p : unit_.procedures) {
      p.convention.callers_known = p.skipped.empty() && !p.global;
      if (p.skipped.empty()) read(p);
    }
    for (uint32_t s = 0; s < source_.statements.size(); ++s) look_at(s);
    for (uint32_t n = 0; n < materialised_.size(); ++n) {
      if (materialised_[n]) unit_.materialised.push_back(n);
    }
  }

 private:
  enum class Reading : uint8_t { none, understood, direct_branch };

  void read(const Procedure &p) {
    for (const Instruction &in : p.instructions) {
      bool direct = !callee_of(source_, in).empty();
      for (uint32_t s = in.first_statement; s <= in.last_statement; ++s) {
        if (reading_[s] != Reading::direct_branch) reading_[s] = direct ? Reading::direct_branch : Reading::understood;
      }
    }
  }

  void look_at(uint32_t s) {
    const Statement &statement = source_.statements[s];
    if (statement.kind == StatementKind::label) {
      if (source_.sections[statement.section].executable) arrive_at(statement);
      return;
    }
    bool code = statement.kind == StatementKind::instruction;
    if (code) open_end_[statement.section] = reading_[s] == Reading::none;
    if (is_harmless_mention(statement) || source_.sections[statement.section].debug) return;
    bool assigns = statement.kind == StatementKind::assignment;
    std::string_view text = assigns ? std::string_view(source_.text).substr(statement.begin, statement.end - statement.begin)
                                    : statement.operands;
    for (std::string_view name : symbols_in(text)) {
      auto found = unit_.entry_named.find(name);
      if (found != unit_.entry_named.end()) mention(s, found->second, name);
    }
  }

  // Code that was not understood may run into what follows it.
  void arrive_at(const Statement &label) {
    auto found = unit_.entry_named.find(label.name);
    auto above = open_end_.find(label.section);
    if (found == unit_.entry_named.end() || above == open_end_.end() || !above->second) return;
    expect_everything(found->second);
  }

  void mention(uint32_t s, uint32_t n, std::string_view name) {
    const Statement &statement = source_.statements[s];
    if (statement.kind != StatementKind::instruction) {
      unit_.procedures[n].convention.callers_known = false;
    } else if (reading_[s] == Reading::none) {
      expect_everything(n);
    } else if (reading_[s] == Reading::understood || !is_whole(statement.operands, name)) {
      unit_.procedures[n].convention.callers_known = false;
      materialised_[n] = true;
    }
  }

  static bool is_whole(std::string_view operands, std::string_view name) {
    operands = trim(operands);
    return operands.starts_with(name) && (operands.size() == name.size() || operands.substr(name.size()) == "@PLT");
  }

  void expect_everything(uint32_t n) {
    unit_.procedures[n].convention.callers_known = false;
    unit_.procedures[n].wanted = isa::call_clobbers();
  }

  Unit &unit_;
  const Source &source_;
  std::vector<Reading> reading_;    // by statement
  std::vector<bool> materialised_;  // by procedure
  std::unordered_map<uint32_t, bool> open_end_;  // by section: the last instruction so far was not understood
};

}  // namespace

void find_known_callers(Unit &unit) { CallerFinder(unit).run(); }

}  // namespace chord::assembly
