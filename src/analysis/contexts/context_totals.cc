#include "analysis/contexts/context_totals.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/counting/count_procedure.h"
#include "analysis/program/procedure_names.h"
#include "format/facts/measured_calls.h"

namespace chord::analysis {
namespace {

// Of one call, over all contexts.
struct Site {
  uint32_t callee = core::kNone;  // procedure; kNone: by address, or not of the program
  bool by_address = false;
  uint64_t made = 0;     // how often
  uint64_t entered = 0;  // calls of its contexts
  uint64_t inclusive = 0;
  uint32_t open = 0;     // how often it is in the chain of the context looked at
  bool folded = false;
};

struct Function {
  std::vector<Site> sites;                             // as format::measured_calls
  std::unordered_map<uint32_t, uint32_t> site_at;      // by instruction
  uint64_t inclusive = 0;
  uint32_t open = 0;                                   // as Site::open
  bool has_contexts = false, crossed = false;          // a fold passed over it
  bool calls_mixed = false;   // which of its calls led where is not known
};

class Totals {
 public:
  explicit Totals(Program &program) : program_(program), names_(program), functions_(program.procedures.size()) {
    for (const CountedContext &c : program.contexts) functions_[c.procedure].has_contexts = true;
    for (uint32_t n = 0; n < functions_.size(); ++n) {
      if (functions_[n].has_contexts) find_sites(n);
    }
  }

  void add() {
    for (uint32_t n = 0; n < program_.contexts.size(); ++n) {
      leave_to(program_.contexts[n].parent);
      enter(n);
    }
    for (uint32_t n = 0; n < functions_.size(); ++n) {
      if (functions_[n].has_contexts) write(n);
    }
  }

 private:
  void find_sites(uint32_t n) {
    const CountedProcedure &p = program_.procedures[n];
    for (uint32_t call : format::measured_calls(*p.map)) {
      Site site;
      const std::string &callee = p.map->instructions[call].callee;
      site.by_address = callee.empty();
      if (!site.by_address) site.callee = names_.find(p, callee);
      site.made = p.executed[call];
      functions_[n].site_at.emplace(call, functions_[n].sites.size());
      functions_[n].sites.push_back(site);
    }
  }

  Site *site_of(const CountedContext &c) {
    if (c.parent == core::kNone || c.site == core::kNone) return nullptr;
    Function &caller = functions_[program_.contexts[c.parent].procedure];
    auto found = caller.site_at.find(c.site);
    return found == caller.site_at.end() ? nullptr : &caller.sites[found->second];
  }

  // Contexts come in the order of the tree, so those open are a chain.
  void leave_to(uint32_t parent) {
    while (!chain_.empty() && chain_.back() != parent) {
      const CountedContext &c = program_.contexts[chain_.back()];
      --functions_[c.procedure].open;
      if (Site *site = site_of(c)) --site->open;
      chain_.pop_back();
    }
  }

  void enter(uint32_t n) {
    const CountedContext &c = program_.contexts[n];
    Function &function = functions_[c.procedure];
    if (function.open++ == 0) function.inclusive = checked_add(function.inclusive, c.inclusive, "calling contexts");
    // Calls are not told apart (--context=functions).
    if (c.parent != core::kNone && c.site == core::kNone) functions_[program_.contexts[c.parent].procedure].calls_mixed = true;
    if (Site *site = site_of(c)) {
      site->entered = checked_add(site->entered, c.calls, "calling contexts");
      if (site->open++ == 0) site->inclusive = checked_add(site->inclusive, c.inclusive, "calling contexts");
    }
    chain_.push_back(n);
    for (Site &site : function.sites) {
      if (site.made == 0 || site.callee == core::kNone || functions_[site.callee].open == 0) continue;
      site.folded = true;
      cross(site.callee);
    }
  }

  // From the context looked at up to the nearest of `callee`.
  void cross(uint32_t callee) {
    for (size_t at = chain_.size(); at-- > 0 && program_.contexts[chain_[at]].procedure != callee;)
      functions_[program_.contexts[chain_[at]].procedure].crossed = true;
  }

  void write(uint32_t n) {
    const Function &function = functions_[n];
    std::vector<uint64_t> &totals = program_.procedures[n].totals;
    totals.assign(1 + function.sites.size(), kUnknownTotal);
    if (!function.crossed) totals[0] = function.inclusive;
    for (size_t i = 0; i < function.sites.size(); ++i) {
      const Site &site = function.sites[i];
      if (!site.folded && !(function.calls_mixed && site.made != 0) && (!site.by_address || site.made == site.entered)) totals[1 + i] = site.inclusive;
    }
  }

  Program &program_;
  ProcedureNames names_;
  std::vector<Function> functions_;
  std::vector<uint32_t> chain_;
};

}  // namespace

void add_totals_of_contexts(Program &program) {
  if (program.contexts.empty()) return;
  bool measured = std::any_of(program.procedures.begin(), program.procedures.end(), [](const CountedProcedure &p) { return !p.totals.empty(); });
  if (!measured) Totals(program).add();
}

}  // namespace chord::analysis
