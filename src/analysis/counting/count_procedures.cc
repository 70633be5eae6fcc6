#include "analysis/counting/count_procedures.h"

#include <fmt/core.h>

#include <map>
#include <string_view>
#include <utility>

#include "base/progress.h"

namespace chord::analysis {
namespace {

struct Call {
  uint32_t procedure = 0;
  uint32_t instruction = 0;
};

class ModuleCounter {
 public:
  ModuleCounter(std::vector<MeasuredProcedure> &measured, std::vector<CountedProcedure> &procedures)
      : measured_(measured), procedures_(procedures), state_(procedures.size()), calls_(procedures.size()),
        progress_("solving counts", procedures.size()) {}

  void run() {
    collect_calls();
    for (uint32_t n = 0; n < procedures_.size(); ++n) count(n);
  }

 private:
  enum class State : uint8_t { open, waiting, done };

  void collect_calls() {
    std::map<std::pair<const format::UnitMap *, std::string_view>, uint32_t> called;
    for (uint32_t n = 0; n < procedures_.size(); ++n) {
      const CountedProcedure &p = procedures_[n];
      if (p.map->plan.called != core::kNone) called.emplace(std::pair(p.unit, std::string_view(p.map->name)), n);
    }
    if (called.empty()) return;
    for (uint32_t n = 0; n < procedures_.size(); ++n) {
      const std::vector<format::Instruction> &instructions = procedures_[n].map->instructions;
      for (uint32_t i = 0; i < instructions.size(); ++i) {
        if (instructions[i].callee.empty()) continue;
        auto found = called.find({procedures_[n].unit, instructions[i].callee});
        if (found != called.end()) calls_[found->second].push_back({n, i});
      }
    }
  }

  // Chains of callers are as long as call chains in the text are, and each is a frame here.
  void count(uint32_t n) {
    if (state_[n] == State::done) return;
    state_[n] = State::waiting;
    add_calls(n);
    count_procedure(measured_[n], procedures_[n]);
    state_[n] = State::done;
    progress_.step();
  }

  void add_calls(uint32_t n) {
    MeasuredProcedure &measured = measured_[n];
    for (const Call &call : calls_[n]) {
      const CountedProcedure &caller = procedures_[call.procedure];
      if (state_[call.procedure] == State::waiting) {
        measured.problem = "its calls depend on themselves";
        return;
      }
      count(call.procedure);
      if (!caller.exact()) {
        measured.problem = fmt::format("it is called by {}, which has no counts", caller.map->name);
        return;
      }
      measured.called = checked_add(measured.called, caller.executed[call.instruction], caller.map->name);
    }
  }

  std::vector<MeasuredProcedure> &measured_;
  std::vector<CountedProcedure> &procedures_;
  std::vector<State> state_;              // by procedure
  std::vector<std::vector<Call>> calls_;  // by procedure: those that enter it, where it depends on them
  base::Progress progress_;
};

}  // namespace

void count_procedures(std::vector<MeasuredProcedure> &measured, std::vector<CountedProcedure> &procedures) {
  ModuleCounter(measured, procedures).run();
}

}  // namespace chord::analysis
