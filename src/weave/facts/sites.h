// Where in the text a probe for an edge or a block goes, and what it must not
// disturb there.
//
// An edge's probe goes to the end of its source if that has one way out, to the
// start of its target if that has one way in, in line on a fall-through, and
// otherwise into a stub that the jump (or the table, or the exception table) is
// made to name in place of the target. Stubs stand at the end of the procedure and cost a
// further jump, but for one of those that lead to a block which nothing falls into: that one
// stands in front of it. (Moving probes to a neighbour is the jump optimisation of Ball and
// Larus, "Optimally Profiling and Tracing Programs", 1994. For study, Stubs::apart has all stubs
// at the end, and Stubs::always leaves out the paper's optimisation, too.)
#pragma once

#include <limits>
#include <unordered_set>
#include <vector>

#include "assembly/graph/procedure.h"
#include "assembly/unit/liveness.h"
#include "isa/isa.h"
#include "weave/options.h"

namespace chord::weave {

struct Site {
  enum class Kind : uint8_t {
    none,       // no code can stand there
    before,     // directly in front of a statement
    after,      // directly after a statement
    jump_stub,  // in a stub that the branch at `statement` is retargeted to
    slot_stub,  // in a stub that the edge's slots are made to name
  } kind = Kind::none;
  uint32_t statement = 0;
  uint32_t fragment = 0;
  isa::Resources live = 0;
  isa::Resources held = 0;      // of those: loops hold counters in them (weave/counters/loop_counters.h)
  bool marks_entry = false;     // slot stubs: must start like the target does
  // What a count made here means to someone interrupted nearby (weave/compose/spots.h).
  uint32_t block = 0;           // where control comes from
  uint32_t next = core::kNone;  // original instruction executed next; kNone: it leaves
  uint32_t due = core::kNone;   // first instruction at which the count is supposed to be made
  bool ahead = false;           // stands in front of the jump that takes its edge
  isa::PathHolder record;       // of the calling context, as seen from here; none: counters lie elsewhere
  std::string_view target;      // stubs: label to go on to
  uint32_t gap = assembly::kNoStatement;  // stubs: label in front of which one could stand and fall into the target

  bool exists() const { return kind != Kind::none; }
  bool is_stub() const { return kind == Kind::jump_stub || kind == Kind::slot_stub; }
};

// Prices of sites, for choosing among them. A stub is reached by a jump and most are left by one; the
// first replaces the original's. The other weighs more than an instruction: it is certain,
// while that its edge is rarer than others is an estimate.
inline constexpr double kImpossible = std::numeric_limits<double>::infinity();
inline constexpr double kStubPrice = 1.25;

struct Sites {
  std::vector<Site> edge;   // by edge
  std::vector<Site> block;  // by block: where control has entered it
};

// Names that branches, tables and exception tables jump to.
using JumpedLabels = std::unordered_set<std::string_view>;
JumpedLabels jumped_labels(const assembly::Unit &unit);
// Numeric labels are, for all that is known.
bool is_jumped_to(const JumpedLabels &jumped, std::string_view label);

Sites find_sites(const assembly::Unit &unit, const assembly::Procedure &procedure,
                 const assembly::Liveness &liveness, const JumpedLabels &jumped, Options::Stubs stubs);

}  // namespace chord::weave
