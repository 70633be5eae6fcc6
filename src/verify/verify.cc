#include "verify/verify.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include "format/facts/measured_calls.h"

#include "verify/claims/context_procs.h"
#include "verify/counting/addresses.h"
#include "verify/counting/contexts.h"
#include "verify/counting/counts.h"
#include "verify/counting/events.h"
#include "verify/counting/marks.h"
#include "verify/counting/paths.h"
#include "verify/counting/trace.h"
#include "verify/evidence/liveness.h"
#include "verify/evidence/statements.h"
#include "verify/flow/constants.h"
#include "verify/flow/flow.h"
#include "verify/metrics/metrics.h"
#include "verify/metrics/models.h"
#include "verify/program/program.h"
#include "verify/program/unwind.h"

namespace chord::verify {
namespace {

class Prover {
 public:
  explicit Prover(const Claim &claim)
      : claim_(claim), pairing_(claim.original, claim.woven, claim.inserted) {}

  std::vector<Fault> run() {
    if (!pairing_.fault().empty()) return {{"", 0, pairing_.fault()}};
    if (std::string defect = format::defect(claim_.map); !defect.empty()) return {{"", 0, "the map is damaged: " + defect}};
    Program program(claim_.original, claim_.layout, claim_.map);
    Evidence evidence(program);
    Liveness liveness = compute_liveness(program, evidence.jumps(), evidence);
    UnwindTable rules(claim_.original), woven_rules(pairing_.woven());
    if (!woven_rules.fault().empty()) faults_.push_back({"", 0, woven_rules.fault()});
    find_woven(program);
    StatementFacts statements = compare_statements(program, pairing_, liveness, woven_);
    faults_.insert(faults_.end(), statements.faults.begin(), statements.faults.end());
    records_ = read_records(pairing_);
    if (!records_.fault.empty()) faults_.push_back({"", 0, records_.fault});
    contexts_ = read_context_procs(pairing_, records_);
    if (!contexts_.fault.empty()) faults_.push_back({"", 0, contexts_.fault});
    anchors_ = read_anchors(pairing_);
    if (!anchors_.fault.empty()) faults_.push_back({"", 0, anchors_.fault});
    widened_ = std::move(statements.widened_steps);
    UnitFacts unit{program, pairing_, evidence, liveness, rules, woven_rules, statements.moved, contexts_};
    for (const format::Procedure &p : claim_.map.procedures) {
      if (p.skipped.empty()) procedure(unit, p);
    }
    if (faults_.empty()) nothing_else(program);
    return std::move(faults_);
  }

 private:
  void find_woven(const Program &program) {
    woven_.assign(program.functions().size(), false);
    for (const format::Procedure &p : claim_.map.procedures) {
      uint32_t f = p.fragments.empty() ? kNone : program.function_named(p.fragments[0].name);
      if (f != kNone && p.skipped.empty()) woven_[f] = true;
    }
  }

  void procedure(const UnitFacts &unit, const format::Procedure &p) {
    uint32_t f = p.fragments.empty() ? kNone : unit.program.function_named(p.fragments[0].name);
    if (f == kNone) {
      faults_.push_back({p.name, 0, "there is no such function"});
      return;
    }
    try {
      ProcedureFlow flow(unit, f, counts_paths(p) || keeps_records(p));
      flow.run();
      prove_counting(unit, p, flow, f);
      visited_.insert(flow.visited().begin(), flow.visited().end());
      for (uint32_t i : unit.program.functions()[f].instructions) {
        if (!flow.reaches(i)) unreached_.insert(i);
      }
    } catch (const Unproved &u) {
      faults_.push_back({p.name, claim_.original.statements[u.statement].line, u.what});
    }
  }

  static bool counts_paths(const format::Procedure &p) {
    return p.plan.placement == core::Placement::paths || p.plan.placement == core::Placement::chosen_paths;
  }

  bool keeps_records(const format::Procedure &p) const {
    auto record = records_.by_key.find(p.key);
    return record != records_.by_key.end() && record->second.kind == CHORD_COUNTERS_RECORD;
  }

  void prove_counting(const UnitFacts &unit, const format::Procedure &p, const ProcedureFlow &flow, uint32_t f) {
    MapGraph graph(unit.program, p, f);
    Constants constants(unit.program, flow.transitions());
    static const std::vector<AnchorPart> kNoParts;
    auto anchor = anchors_.by_key.find(p.key);
    Spots spots(unit.pairing, p, anchor == anchors_.by_key.end() ? kNoParts : anchor->second);
    CodePlaces places(unit.program, claim_.map, claim_.plain_address);
    ProcedureFacts facts{unit.program, unit.pairing, flow, graph, constants, records_, spots, widened_, f, claim_.atomic, places};
    graph.check_edges(flow.transitions(), unit.evidence.jumps());
    prove_places(facts);
    if (counts_paths(p)) {
      prove_paths(facts);
    } else if (p.plan.placement == core::Placement::trace) {
      prove_trace(facts);
      prove_addresses(facts, unit.rules);
    } else {
      prove_counts(facts);
    }
    prove_contexts(facts, contexts_);
    prove_metrics(facts);
    prove_models(facts);
    bool measures = records_.by_key.contains(format::totals_key(p));
    if (records_.event_kinds != 0 || measures) prove_events(facts);
    prove_marks(facts, anchors_, unit.moved);
  }

  // Inserted code that belongs to code which nothing leads to: after it, in front of it, and where its jumps lead.
  void excuse_unreached(const Program &program) {
    for (uint32_t i : unreached_) {
      const Instr &in = program.instrs()[i];
      uint32_t s = pairing_.woven_of(in.last);
      excuse(pairing_.next(s));
      bool jumps = in.facts.flow == Flow::jump || in.facts.flow == Flow::conditional;
      if (jumps && !in.facts.indirect) excuse(pairing_.label(assembly::first_symbol(pairing_.woven().statements[s].operands), s));
    }
  }

  void excuse(uint32_t s) {
    for (; s != kNone && pairing_.is_inserted(s); s = pairing_.next(s)) {
      const assembly::Statement &x = pairing_.woven().statements[s];
      if (x.kind != assembly::StatementKind::instruction) continue;
      if (!excused_.insert(s).second) return;
      std::optional<ProbeInstruction> probe = read_probe(x);
      bool jumps = probe && (probe->op == Op::jump || is_conditional(probe->op));
      if (jumps) excuse(pairing_.label(probe->target, s));
      if (jumps && probe->op == Op::jump) return;
    }
  }

  // Every inserted instruction was executed above, but for those of code that nothing leads to.
  void nothing_else(const Program &program) {
    excuse_unreached(program);
    for (uint32_t s = 0; s < pairing_.first_record(); ++s) {
      const assembly::Statement &x = pairing_.woven().statements[s];
      if (!pairing_.is_inserted(s) || x.kind != assembly::StatementKind::instruction || visited_.contains(s) || excused_.contains(s)) continue;
      if (x.name == "nopl") continue;  // tells where the path register is (abi/chord_abi.h)
      uint32_t next = s;
      while (next != kNone && (pairing_.is_inserted(next) || program.instr_from(pairing_.original_of(next)) == kNone)) next = pairing_.next(next);
      if (next != kNone && unreached_.contains(program.instr_from(pairing_.original_of(next)))) {
        excuse(s);
        continue;
      }
      faults_.push_back({"", x.line, fmt::format("an inserted instruction that nothing leads to: {} {}", x.name, x.operands)});
      return;
    }
  }

  const Claim &claim_;
  Pairing pairing_;
  std::vector<bool> woven_;  // by function
  std::set<uint32_t> visited_, unreached_, excused_, widened_;
  Records records_;
  ContextProcs contexts_;
  Anchors anchors_;
  std::vector<Fault> faults_;
};

}  // namespace

std::vector<Fault> prove(const Claim &claim) { return Prover(claim).run(); }

std::string to_text(const Fault &f) {
  std::string where = f.procedure.empty() ? "" : f.procedure + ": ";
  return fmt::format("verify: {}{}{}", where, f.line == 0 ? "" : fmt::format("line {}: ", f.line), f.what);
}

}  // namespace chord::verify
