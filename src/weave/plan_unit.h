// All plans of a unit, made before any text is written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weave/facts/facts.h"
#include "weave/plan/procedure_plan.h"

namespace chord::weave {

struct UnitPlan {
  std::unique_ptr<format::UnitMap> map;  // without its procedures
  std::unique_ptr<UnitFacts> facts;
  // By procedure of the unit; null: it is not selected.
  std::vector<std::unique_ptr<ProcedureFacts>> procedures;
  std::vector<ProcedurePlan> plans;  // likewise
  std::vector<std::string> skipped;  // likewise: why it is left alone; empty if it is not

  bool is_woven(uint32_t n) const { return procedures[n] != nullptr && skipped[n].empty(); }
};

// Must not outlive the unit and the options.
UnitPlan plan_unit(const assembly::Unit &unit, const Options &options);

}  // namespace chord::weave
