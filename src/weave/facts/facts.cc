#include "weave/facts/facts.h"

#include "core/graph/weights.h"
#include "format/facts/branch_hints.h"

namespace chord::weave {

using assembly::Statement;
using assembly::UnwindRules;

namespace {

// Procedures that another may end with a jump to.
std::vector<bool> find_jumped_to(const assembly::Unit &unit) {
  std::vector<bool> out(unit.procedures.size());
  for (uint32_t n = 0; n < unit.procedures.size(); ++n) {
    const assembly::Procedure &p = unit.procedures[n];
    for (const assembly::Fragment &f : p.fragments) out[n] = out[n] || unit.symbols.globals.contains(f.name);
    for (const assembly::Edge &e : p.edges) {
      if (e.kind != assembly::EdgeKind::tail_call || p.blocks[e.from].count == 0) continue;
      uint32_t target = assembly::local_callee(unit, p.instructions[p.blocks[e.from].first + p.blocks[e.from].count - 1]);
      if (target != assembly::kElsewhere) out[target] = true;
    }
  }
  return out;
}

std::vector<bool> find_called(const assembly::Unit &unit) {
  std::vector<bool> out(unit.procedures.size());
  for (const assembly::Procedure &p : unit.procedures) {
    for (const assembly::Instruction &in : p.instructions) {
      if (in.decoded.flow != isa::Flow::call) continue;
      const uint32_t callee = assembly::local_callee(unit, in);
      if (callee != assembly::kElsewhere) out[callee] = true;
    }
  }
  return out;
}

}  // namespace

UnitFacts::UnitFacts(const assembly::Unit &of, const format::UnitMap &described, const Options &asked)
    : unit(of), map(described), options(asked), jumped(jumped_labels(of)),
      other_convention(assembly::follows_other_convention(of)), jumped_to(find_jumped_to(of)), called(find_called(of)) {}

ProcedureFacts::ProcedureFacts(const UnitFacts &unit, uint32_t number, format::Procedure described)
    : in(unit), n(number), p(unit.unit.procedures[number]), map(std::move(described)), rules_(p.fragments.size()) {
  if (!map.skipped.empty()) return;
  graph = p.graph();
  if (!graph.defect().empty()) return;
  liveness = assembly::compute_liveness(unit.unit, p);
  sites = find_sites(unit.unit, p, liveness, unit.jumped, unit.options.stubs);
  const Options &o = unit.options;
  if (o.weights == Options::Weights::paper) {
    weights = core::paper_weights(graph);
    return;
  }
  weights = core::static_weights(graph, format::branch_hints(map, unit.map.mnemonics));
  if (o.weights != Options::Weights::measured || o.measured == nullptr) return;
  const std::vector<uint64_t> *counts = o.measured->find(format::shape_hash(map), map.edges.size());
  unmatched = counts == nullptr;
  if (counts != nullptr) weights = core::measured_weights(*counts, weights);
}

const assembly::StackFrame &ProcedureFacts::frame() const {
  if (!frame_) frame_ = assembly::analyse_stack(in.unit, p);
  return *frame_;
}

const UnwindRules &ProcedureFacts::rules_before(uint32_t fragment, uint32_t statement) const {
  if (!rules_[fragment]) rules_[fragment].emplace(source(), p.fragments[fragment]);
  return rules_[fragment]->before(statement);
}

const UnwindRules &ProcedureFacts::rules_at(const Site &site) const {
  return rules_before(site.fragment, site.kind == Site::Kind::after ? last_with_rules(site.statement) + 1 : site.statement);
}

// After an exit the rules are those of what comes next.
uint32_t ProcedureFacts::last_with_rules(uint32_t s) const {
  const std::vector<Statement> &statements = source().statements;
  std::optional<isa::Decoded> d = isa::decode(in.unit.layout.bytes(source(), s));
  if (d && (d->flow == isa::Flow::leave || d->flow == isa::Flow::jump)) return s;
  uint32_t last = s;
  for (uint32_t next = s + 1; next < statements.size() && statements[next].section == statements[s].section; ++next) {
    if (assembly::follows_instruction(statements[next])) {
      last = next;
    } else if (!is_passive(statements[next])) {
      break;
    }
  }
  return last;
}

// Debug information may come between an instruction and its rules.
bool ProcedureFacts::is_passive(const Statement &s) const {
  if (s.kind != assembly::StatementKind::label) return s.name == ".loc";
  return !is_jumped_to(in.jumped, s.name);
}

}  // namespace chord::weave
