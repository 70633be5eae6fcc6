#include "weave/plan/procedure_plan.h"

#include <algorithm>
#include <cstdlib>

namespace chord::weave {

// Sizes are estimated high: an insertion by its price, and every jump on the way as if it grew.
bool short_branch_breaks(const ProcedureFacts &facts, const std::vector<Insertion> &insertions) {
  constexpr int64_t kReach = 127, kBytesPerInstruction = 10, kJumpGrowth = 4;
  const assembly::Procedure &p = facts.p;
  for (const assembly::Instruction &in : p.instructions) {
    if (!in.decoded.short_only) continue;
    std::string_view name = assembly::first_symbol(facts.source().statements[in.last_statement].operands);
    uint32_t label = facts.unit().symbols.find_label(facts.source(), name, in.last_statement);
    uint32_t low = std::min(in.last_statement, label), high = std::max(in.last_statement, label);
    int64_t distance = std::abs(in.decoded.displacement) + in.decoded.size;
    for (const assembly::Instruction &other : p.instructions) {
      bool jumps = other.decoded.flow == isa::Flow::jump || other.decoded.flow == isa::Flow::conditional;
      if (jumps && other.first_statement >= low && other.first_statement <= high) distance += kJumpGrowth;
    }
    for (const Insertion &insertion : insertions) {
      uint32_t at = insertion.site.is_stub() ? insertion.site.gap : insertion.site.statement;
      if (insertion.site.kind == Site::Kind::before && at == in.first_statement && label > in.last_statement) continue;
      if (at >= low && at <= high) distance += kBytesPerInstruction * insertion.snippet.price;
    }
    if (distance > kReach) return true;
  }
  return false;
}

void put_frame_end(const ProcedureFacts &facts, Insertion insertion, bool unwinding, ProcedurePlan &plan) {
  if (unwinding) insertion.snippet.text = "\t.cfi_remember_state\n" + insertion.snippet.text;
  if (unwinding && insertion.site.is_stub()) plan.restores.insert(insertion.edge);
  if (unwinding && !insertion.site.is_stub()) {
    Site after = insertion.site;
    after.kind = Site::Kind::after;
    after.statement = facts.p.instructions[facts.last_of(facts.p.edges[insertion.edge].from)].last_statement;
    plan.insertions.push_back({after, core::kNone, {"\t.cfi_restore_state\n"}, Effect::none, 0, Phase::leaving});
  }
  plan.insertions.push_back(std::move(insertion));
}

}  // namespace chord::weave
