#include "weave/plan/procedure_plan.h"

#include <algorithm>
#include <cstdlib>

namespace chord::weave {

// Sizes are estimated high: a piece by its price, and every jump on the way as if it grew.
bool short_branch_breaks(const ProcedureFacts &facts, const std::vector<Piece> &pieces) {
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
    for (const Piece &piece : pieces) {
      uint32_t at = piece.site.is_stub() ? piece.site.gap : piece.site.statement;
      if (piece.site.kind == Site::Kind::before && at == in.first_statement && label > in.last_statement) continue;
      if (at >= low && at <= high) distance += kBytesPerInstruction * piece.snippet.price;
    }
    if (distance > kReach) return true;
  }
  return false;
}

void put_frame_end(const ProcedureFacts &facts, Piece piece, bool unwinding, ProcedurePlan &plan) {
  if (unwinding) piece.snippet.text = "\t.cfi_remember_state\n" + piece.snippet.text;
  if (unwinding && piece.site.is_stub()) plan.restores.insert(piece.edge);
  if (unwinding && !piece.site.is_stub()) {
    Site after = piece.site;
    after.kind = Site::Kind::after;
    after.statement = facts.p.instructions[facts.last_of(facts.p.edges[piece.edge].from)].last_statement;
    plan.pieces.push_back({after, core::kNone, {"\t.cfi_restore_state\n"}, Effect::none, 0, Turn::leaving});
  }
  plan.pieces.push_back(std::move(piece));
}

}  // namespace chord::weave
