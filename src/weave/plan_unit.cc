#include "weave/plan_unit.h"

#include <fnmatch.h>

#include <algorithm>

#include "base/function_names.h"
#include "weave/counters/counters.h"
#include "weave/facts/describe.h"
#include "weave/facts/implied_entries.h"
#include "weave/modes.h"

namespace chord::weave {
namespace {

bool matches_any(const std::vector<std::string> &globs, const std::string &function, const std::string &file) {
  for (const std::string &glob : globs) {
    if (base::matches_function(function, glob) || fnmatch(glob.c_str(), file.c_str(), 0) == 0) return true;
  }
  return false;
}

void find_facts(UnitPlan &out) {
  const assembly::Unit &unit = out.facts->unit;
  MapBuilder describer(unit, *out.map);
  for (uint32_t n = 0; n < unit.procedures.size(); ++n) {
    const assembly::Procedure &p = unit.procedures[n];
    if (!is_selected(out.facts->options, std::string(p.name), describer.file_of(p))) continue;
    format::Procedure map = describer.describe(p);
    map.key = key_of_procedure(*out.map, n);
    out.skipped[n] = map.skipped;
    out.procedures[n] = std::make_unique<ProcedureFacts>(*out.facts, n, std::move(map));
  }
}

// Returns why the procedure is left alone.
std::string plan_procedure(const ProcedureFacts &facts, ProcedurePlan &plan) {
  if (std::string defect = facts.graph.defect(); !defect.empty()) return defect;
  for (const Mode &mode : modes()) {
    if (!mode.is_on(facts.options())) continue;
    if (std::string why_not = mode.plan(facts, plan); !why_not.empty()) return why_not;
  }
  return short_branch_breaks(facts, plan.insertions) ? "a one-byte branch over too much code" : "";
}

void plan_again(UnitPlan &out, uint32_t n, bool entries_known) {
  const ProcedureFacts &facts = *out.procedures[n];
  out.plans[n] = ProcedurePlan(facts);
  out.plans[n].entries_known = entries_known;
  out.skipped[n] = plan_procedure(facts, out.plans[n]);
}

}  // namespace

bool is_selected(const Options &options, const std::string &function, const std::string &file) {
  if (!options.only.empty() && !matches_any(options.only, function, file)) return false;
  return !matches_any(options.except, function, file);
}

UnitPlan plan_unit(const assembly::Unit &unit, const Options &options) {
  const size_t count = unit.procedures.size();
  UnitPlan out;
  out.map = std::make_unique<format::UnitMap>();
  out.facts = std::make_unique<UnitFacts>(unit, *out.map, options);
  out.procedures.resize(count);
  out.plans.resize(count);
  out.skipped.resize(count);
  find_facts(out);

  std::vector<bool> expected(count), planned(count);
  for (uint32_t n = 0; n < count; ++n) expected[n] = unit.procedures[n].skipped.empty();
  for (bool again = true; again;) {
    std::vector<bool> implied(count);
    if (relies_on_callers(options)) implied = find_implied_entries(unit, expected);
    again = false;
    for (uint32_t n = 0; n < count; ++n) {
      bool is_described = out.procedures[n] != nullptr && out.procedures[n]->map.skipped.empty();
      if (is_described && (!planned[n] || out.plans[n].entries_known != implied[n])) plan_again(out, n, implied[n]);
      planned[n] = true;
      // Only planning shows which procedures are left alone; those count no calls.
      again = again || (expected[n] && !out.is_woven(n));
      expected[n] = expected[n] && out.is_woven(n);
    }
    again = again && std::find(implied.begin(), implied.end(), true) != implied.end();
  }
  return out;
}

}  // namespace chord::weave
