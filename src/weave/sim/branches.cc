#include <fmt/core.h>

#include "isa/models.h"
#include "weave/metrics/metric_sums.h"
#include "weave/sim/accesses.h"
#include "weave/sim/code.h"
#include "weave/sim/code_addresses.h"
#include "weave/sim/probe_places.h"

namespace chord::weave {
namespace {

using assembly::Instruction;

std::vector<uint32_t> conditional_branches(const assembly::Procedure &p) {
  std::vector<uint32_t> branches;
  for (uint32_t i = 0; i < p.instructions.size(); ++i) {
    if (!p.instructions[i].padding && p.instructions[i].decoded.flow == isa::Flow::conditional) branches.push_back(i);
  }
  return branches;
}

isa::PredictionProbe probe_for(const ProcedureFacts &facts, uint64_t address, const isa::BranchTest &test) {
  const chord_prediction &model = facts.options().models.branch;
  isa::PredictionProbe probe;
  probe.test = test;
  probe.number = static_cast<uint32_t>((address << model.address_shift) & ((1u << model.bits) - 1));
  probe.history_mask = ((1u << model.history_bits) - 1) & ((1u << model.bits) - 1);
  probe.shared_object = facts.options().position_independent;
  return probe;
}

}  // namespace

std::string plan_branch_model(const ProcedureFacts &facts, ProcedurePlan &plan) {
  const std::vector<uint32_t> branches = conditional_branches(facts.p);
  const CodeAddresses address(facts);
  const uint64_t first_sum = add_metric_sums(plan, {"sim:branch", format::SumsOf::instructions, branches});
  for (size_t k = 0; k < branches.size(); ++k) {
    const Instruction &in = facts.p.instructions[branches[k]];
    std::optional<isa::BranchTest> test = isa::branch_test(bytes_of(facts, in));
    if (!test) return "the model of branches does not follow one that counts in a register";
    Site site = site_before(facts, plan, branches[k]);
    bool shares_statement = branches[k] > 0 && facts.p.instructions[branches[k] - 1].last_statement == in.first_statement;
    if (!finds_record(site) || shares_statement) return "the model of branches does not follow one that no probe can stand before";
    isa::PredictionProbe probe = probe_for(facts, address(in), *test);
    probe.counter = metric_place(facts, plan, site, first_sum + k);
    probe.out = fmt::format(".Lchord_ba{}_{}", facts.n, k);
    probe.back = fmt::format(".Lchord_bb{}_{}", facts.n, k);
    isa::ProbeWithOutside text = isa::predict_branch(probe, site.live | taken_registers(plan));
    plan.outside.push_back({site, core::kNone, std::move(text.outside), probe.out, "", text.inside.depth_at_check});
    plan.insertions.push_back({site, core::kNone, std::move(text.inside), Effect::none, 0, phase_before(facts, plan, branches[k]), 0, {}, probe.out});
  }
  return {};
}

}  // namespace chord::weave
