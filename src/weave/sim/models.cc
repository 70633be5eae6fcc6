#include "weave/sim/models.h"

#include <chord_models.h>
#include <fmt/core.h>

#include "weave/sim/code.h"
#include "weave/sim/data.h"
#include "weave/sim/model_choice.h"

namespace chord::weave {
namespace {

std::string geometry_text(const chord_geometry &g) { return fmt::format("\t.long {}, {}, {}, 0\n", g.sets, g.ways, g.line_bits); }

}  // namespace

std::string plan_models(const ProcedureFacts &facts, ProcedurePlan &plan) {
  const chord_models &models = facts.options().models;
  std::string why_not;
  if (has_cache(models.data)) why_not = plan_data_model(facts, plan);
  if (why_not.empty() && has_cache(models.code)) why_not = plan_code_model(facts, plan);
  if (why_not.empty() && has_predictor(models.branch)) why_not = plan_branch_model(facts, plan);
  if (!why_not.empty()) return why_not;
  return short_branch_breaks(facts, plan.insertions) ? "a branch that only reaches near code would have to reach over probes of a model" : "";
}

std::string models_unit_text(const UnitFacts &unit, const std::vector<ProcedurePlan> &) {
  const chord_models &m = unit.options.models;
  return fmt::format("\t.section .rodata.{0},\"aG\",@progbits,{0},comdat\n\t.balign 8\n\t.weak {0}\n\t.hidden {0}\n{0}:\n", CHORD_MODELS_SYMBOL) +
         geometry_text(m.data) + geometry_text(m.second) + geometry_text(m.code) +
         fmt::format("\t.long {}, {}, {}, 0\n", m.branch.bits, m.branch.history_bits, m.branch.address_shift);
}

}  // namespace chord::weave
