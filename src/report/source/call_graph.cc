#include "report/source/call_graph.h"

#include <algorithm>
#include <string>

#include "analysis/contexts/context_totals.h"
#include "analysis/program/procedure_names.h"
#include "format/facts/measured_calls.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;
using core::kNone;

class Finder {
 public:
  explicit Finder(const analysis::Program &program) : program_(program), names_(program), state_(program.procedures.size()) {
    graph_.made.resize(state_.size());
    graph_.called.resize(state_.size());
    graph_.inclusive.resize(state_.size());
  }

  CallGraph run() {
    for (uint32_t n = 0; n < program_.procedures.size(); ++n) add_sites(n);
    may_call_back_ = has_unexplained_calls();
    for (uint32_t n = 0; n < program_.procedures.size(); ++n) total(n);
    return std::move(graph_);
  }

 private:
  enum class State : uint8_t { open, waiting, done };

  void add_sites(uint32_t n) {
    const CountedProcedure &p = program_.procedures[n];
    if (!p.exact() || p.counts_chosen_paths()) return;
    std::vector<uint32_t> measured;
    if (!p.totals.empty()) measured = format::measured_calls(*p.map);
    for (uint32_t i = 0; i < p.executed.size(); ++i) {
      const format::Instruction &at = p.map->instructions[i];
      if ((at.traits & isa::kCall) == 0) continue;
      CallSite site{n, i, at.callee.empty() ? kNone : names_.find(p, at.callee), at.callee, p.executed[i], false, std::nullopt};
      auto number = std::find(measured.begin(), measured.end(), i);
      if (number != measured.end()) {
        uint64_t total = p.totals[1 + static_cast<size_t>(number - measured.begin())];
        if (total != analysis::kUnknownTotal) site.inclusive = total;
      }
      add(site);
    }
    for (size_t e = 0; e < p.map->edges.size(); ++e) {
      const format::Edge &edge = p.map->edges[e];
      const format::Block &from = p.map->blocks[edge.from];
      if (edge.kind != format::EdgeKind::tail_call || from.count == 0 || !p.counts.edge_known[e]) continue;
      uint32_t last = from.first + from.count - 1;
      const std::string &name = p.map->instructions[last].callee;
      add({n, last, name.empty() ? kNone : names_.find(p, name), name, p.counts.edge[e], true, std::nullopt});
    }
  }

  void add(const CallSite &site) {
    auto number = static_cast<uint32_t>(graph_.sites.size());
    graph_.made[site.caller].push_back(number);
    if (site.callee != kNone) graph_.called[site.callee].push_back(number);
    graph_.sites.push_back(site);
  }

  // Called by what comes before everything else, and by nothing that woven code calls.
  bool is_root(const CountedProcedure &p) const {
    return p.module == 0 && (p.map->name == "main" || p.map->name.starts_with("_GLOBAL__sub_I"));
  }

  bool has_unexplained_calls() const {
    for (uint32_t n = 0; n < program_.procedures.size(); ++n) {
      const CountedProcedure &p = program_.procedures[n];
      uint64_t explained = is_root(p) ? 1 : 0;
      for (uint32_t s : graph_.called[n]) explained += graph_.sites[s].calls;
      if (!p.exact() || p.calls > explained) return true;
    }
    return false;
  }

  // As deep as chains of calls are in the text.
  void total(uint32_t n) {
    if (state_[n] != State::open) return;
    state_[n] = State::waiting;
    const CountedProcedure &p = program_.procedures[n];
    std::optional<uint64_t> sum;
    if (p.exact() && !p.counts_chosen_paths()) sum = p.instructions;
    for (uint32_t s : graph_.made[n]) {
      CallSite &site = graph_.sites[s];
      if (!site.inclusive) site.inclusive = cost_of(site);
      sum = sum && site.inclusive ? std::optional(*sum + *site.inclusive) : std::nullopt;
    }
    if (!p.totals.empty() && p.totals[0] != analysis::kUnknownTotal) sum = p.totals[0];
    graph_.inclusive[n] = sum;
    state_[n] = State::done;
  }

  std::optional<uint64_t> cost_of(const CallSite &site) {
    if (site.calls == 0) return 0;
    if (site.name.empty()) return std::nullopt;
    if (site.callee == kNone) return may_call_back_ ? std::nullopt : std::optional<uint64_t>(0);
    // A call within a cycle is among those that are being added up.
    uint32_t callee = site.callee;
    if (state_[callee] == State::waiting || program_.procedures[callee].calls != site.calls) return std::nullopt;
    total(callee);
    return graph_.inclusive[callee];
  }

  const analysis::Program &program_;
  analysis::ProcedureNames names_;
  std::vector<State> state_;
  bool may_call_back_ = true;
  CallGraph graph_;
};

}  // namespace

CallGraph find_calls(const analysis::Program &program) { return Finder(program).run(); }

}  // namespace chord::report
