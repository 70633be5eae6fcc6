#include "weave/events/event_kinds.h"

#include <chord_abi.h>

namespace chord::weave {

using assembly::BlockKind;
using assembly::EdgeKind;

static_assert(kEventKinds.size() <= CHORD_EVENT_KINDS);
static_assert(static_cast<int>(EventKind::cost) == CHORD_EVENT_COST);

namespace {

bool has(const assembly::Instruction &in, isa::Traits traits) { return (in.decoded.traits & traits) != 0; }

const assembly::Instruction &last_of(const assembly::Procedure &p, uint32_t block) {
  return p.instructions[p.blocks[block].first + p.blocks[block].count - 1];
}

bool goes_back(const assembly::Procedure &p, const assembly::Edge &e) {
  if (e.kind == EdgeKind::dispatch) return p.blocks[e.from].kind == BlockKind::code;
  bool jumps = e.kind == EdgeKind::taken || e.kind == EdgeKind::jump;
  if (!jumps || p.blocks[e.from].kind != BlockKind::code) return false;
  const assembly::Instruction &jump = last_of(p, e.from);
  // A join vertex stands in front of the one block it leads to.
  uint32_t to = e.to;
  for (const assembly::Edge &next : p.edges) {
    if (p.blocks[to].kind == BlockKind::join && next.from == to) to = next.to;
  }
  const assembly::Instruction &target = p.instructions[p.blocks[to].first];
  if (jump.fragment != target.fragment) return target.fragment == 0;
  return target.offset <= jump.offset;
}

}  // namespace

int64_t events_of(EventKind kind, const assembly::Instruction &in) {
  switch (kind) {
    case EventKind::instructions:
      return 1;
    case EventKind::calls:
    case EventKind::backward:
      return has(in, isa::kCall);
    case EventKind::branches:
      return has(in, isa::kConditional | isa::kJump);
    case EventKind::loads:
      return has(in, isa::kLoad);
    case EventKind::stores:
      return has(in, isa::kStore);
    case EventKind::blocks:
    case EventKind::cost:  // by rules of the user's: format/inputs/costs.h
      return 0;
  }
  return 0;
}

int64_t events_of(EventKind kind, const assembly::Procedure &p, const assembly::Edge &e) {
  int64_t sum = 0;
  for (uint32_t i = e.padding_first; i < e.padding_first + e.padding_count; ++i)
    sum += events_of(kind, p.instructions[i]);
  bool leaves = e.kind == EdgeKind::tail_call;
  if (kind == EventKind::calls && leaves) ++sum;
  if (kind == EventKind::backward && (leaves || goes_back(p, e))) ++sum;
  return sum;
}

int64_t events_of_entering(EventKind kind) { return kind == EventKind::blocks ? 1 : 0; }

}  // namespace chord::weave
