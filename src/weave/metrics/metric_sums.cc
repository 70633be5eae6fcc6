#include "weave/metrics/metric_sums.h"

#include "weave/plan/labels.h"
#include "weave/plan/record_paths.h"

namespace chord::weave {

using isa::PathHolder;

namespace {

uint64_t words_of(const ProcedurePlan &plan, const format::MetricSums &sums) {
  format::Procedure shape;
  shape.plan = plan.counters;
  return shape.words(sums);
}

}  // namespace

uint64_t metric_words(const ProcedurePlan &plan) {
  uint64_t words = 0;
  for (const format::MetricSums &sums : plan.metrics) words += words_of(plan, sums);
  return words;
}

uint64_t add_metric_sums(ProcedurePlan &plan, format::MetricSums sums) {
  uint64_t first = metric_words(plan);
  plan.metrics.push_back(std::move(sums));
  return first;
}

uint64_t record_words(const ProcedurePlan &plan) { return plan.counters.words() + metric_words(plan); }

isa::AnyPlace metric_place(const ProcedureFacts &facts, const ProcedurePlan &plan, const Site &site, uint64_t word) {
  if (plan.contexts) return isa::RecordPlace{site.record, static_cast<int64_t>(plan.counters.words() + word), plan.record_paths ? plan.record_paths->span : 0};
  return isa::CounterPlace{facts.options().counters, metrics_label(facts.n), static_cast<int64_t>(word)};
}

Site site_before(const ProcedureFacts &facts, const ProcedurePlan &plan, uint32_t instruction) {
  const assembly::Instruction &in = facts.p.instructions[instruction];
  Site site;
  site.kind = Site::Kind::before;
  site.statement = in.first_statement;
  site.fragment = in.fragment;
  site.live = plan.liveness.before[instruction];
  if (!plan.contexts) return site;
  site.record = plan.holder;
  if (plan.holder.kind != PathHolder::Kind::slot) return site;
  const assembly::StackState &state = facts.frame().before[instruction];
  for (unsigned base : {isa::kStackPointer, isa::kFramePointer}) {
    if (state.offset[base] == assembly::StackState::kUnknown) continue;
    site.record.base = base;
    site.record.displacement = -state.offset[base];
    break;
  }
  return site;
}

bool finds_record(const Site &site) { return site.record.kind != PathHolder::Kind::slot || site.record.base != isa::kNoRegister; }

std::string plan_metric_sums(const ProcedureFacts &facts, ProcedurePlan &plan) {
  if (plan.metrics.empty()) return {};
  if (!plan.contexts) plan.ties.push_back(metrics_record_label(facts.n));
  return {};
}

std::string metric_record_text(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &plan) {
  if (plan.metrics.empty() || plan.contexts) return {};
  isa::CounterPlace::Kind kind = facts.options().counters;
  uint64_t words = metric_words(plan);
  return counters_text(placer, metrics_label(facts.n), words, kind) +
         record_text(placer, {metrics_label(facts.n), metrics_record_label(facts.n), words, format::metrics_key(facts.map.key)}, kind);
}

}  // namespace chord::weave
