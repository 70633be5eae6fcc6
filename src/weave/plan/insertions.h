// What is put at a site, and what it means to the counters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "isa/isa.h"
#include "weave/facts/sites.h"

namespace chord::weave {

enum class Effect : uint8_t {
  none,
  count,   // counts: number = the plan's counter
  hold,    // from here on a register holds: number = index in Procedure::held
  release,  // from here on it no longer does
  // To the path register (weave/paths/paths.h), with Insertion::amount:
  path_set,    // becomes it
  path_add,    // goes up by it
  path_count,  // counts the number that it is together with it
};

// Insertions at one place run in turn. An activation that ends at a check (a budget) must have
// run the counters of the block it is in, and none of the way out of it.
enum class Phase : uint8_t { first, entering, checking, leaving, last };

// A shorter way through an insertion and some that follow it, taken now and then: runs in front of
// the first, goes on there (`otherwise`) or, when it has done what they all do, after the last.
struct Detour {
  isa::Snippet snippet;
  std::string otherwise, behind;  // labels
  unsigned covers = 0;            // insertions
};

struct Insertion {
  Site site;
  core::EdgeId edge = core::kNone;  // stubs are made for an edge
  isa::Snippet snippet;
  Effect effect = Effect::none;
  uint32_t number = 0;
  Phase phase = Phase::entering;
  int64_t amount = 0;
  Detour detour = {};
  std::string outside = {};  // label of code that it may jump to and that comes back (procedure_plan.h, OutsideCode)
  bool over_red_zone = false;  // pushes right below the stack pointer, where there is no red zone but may be places of registers that were popped
};

using Sequence = std::vector<Insertion>;  // the insertions at one place in the text, in order

// `text` without its .cfi lines; the snippet likewise.
std::string without_unwind_lines(std::string_view text);
void strip_unwind_lines(isa::Snippet &snippet);

}  // namespace chord::weave
