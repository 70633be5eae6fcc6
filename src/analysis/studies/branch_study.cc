#include "analysis/studies/branch_study.h"

#include <algorithm>

namespace chord::analysis {
namespace {

void add(BranchStudy::Row &row, uint64_t favoured, uint64_t other) {
  if (favoured + other == 0) return;
  ++row.branches;
  row.executed += favoured + other;
  row.right += favoured;
  row.majority += std::max(favoured, other);
  row.shares += static_cast<double>(favoured) / static_cast<double>(favoured + other);
}

void add_procedure(const CountedProcedure &p, BranchStudy &study) {
  core::BranchHints hints = format::branch_hints(*p.map, p.unit->mnemonics);
  uint32_t block = core::kNone;
  for (const format::Evidence &e : format::branch_evidence(*p.map, p.unit->mnemonics)) {
    uint64_t favoured = p.counts.edge[e.favoured], other = p.counts.edge[e.other];
    add(study.rows[static_cast<size_t>(e.heuristic)], favoured, other);
    if (e.block == block) continue;
    block = e.block;
    bool agrees = hints.probability[e.favoured] >= hints.probability[e.other];
    add(study.all, agrees ? favoured : other, agrees ? other : favoured);
  }
}

}  // namespace

BranchStudy study_branches(const Program &program) {
  BranchStudy study;
  study.program = program.name;
  for (const CountedProcedure &p : program.procedures) {
    const std::vector<bool> &known = p.counts.edge_known;
    if (p.exact() && std::find(known.begin(), known.end(), false) == known.end()) add_procedure(p, study);
  }
  return study;
}

}  // namespace chord::analysis
