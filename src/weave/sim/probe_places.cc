#include "weave/sim/probe_places.h"

namespace chord::weave {

isa::Resources taken_registers(const ProcedurePlan &plan) {
  isa::Resources taken = isa::register_numbered(plan.holder.reg);
  for (const format::Held &h : plan.held) taken |= isa::holder_recorded(h.place).resources();
  return taken;
}

bool leaves(const ProcedureFacts &facts, uint32_t i) {
  for (const assembly::Edge &e : facts.p.edges) {
    bool out = e.kind == assembly::EdgeKind::leave || e.kind == assembly::EdgeKind::tail_call;
    if (out && facts.is_code(e.from) && facts.last_of(e.from) == i) return true;
  }
  return false;
}

unsigned price_before(const ProcedurePlan &plan, uint32_t i, unsigned wanted) {
  isa::Resources live = plan.liveness.before[i];
  unsigned dead = 0;
  for (unsigned r = 0; r < isa::kNoRegister; ++r) dead += !(live & isa::register_numbered(r));
  return ((live & isa::all_flags()) ? 4 : 0) + (dead < wanted ? 4 * (wanted - dead) : 0);
}

}  // namespace chord::weave
