// Path profiles: which probes keep the number of the path an activation is on, and
// count it where the path ends (core/path_numbering.h).
//
// The number is kept, in order of preference, nowhere (a procedure with one path), in a
// register that the procedure neither uses nor has to preserve, in a callee-saved
// register that it does not use, or in memory. The last two need room in the frame:
// two words at its top, directly below the return address, which are gone again when
// the procedure is left (assembly/stack_frame.h says when that can be done). So the
// number belongs to the activation, whatever becomes of it: exceptions, longjmp,
// switched stacks, signals and threads need no care.
//
// Control that arrives from outside (landing pads, second returns) starts a path. A call
// that may return twice ends one, before it is made: at its returns nobody can tell
// which of them it is.
//
// Of chosen paths (Options::chosen) the numbers are those that all paths would have, and
// only what tells them from the rest is woven (core/chosen_paths.h). They count whole
// paths alone: nobody asks for the number of an activation that ended early.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembly/liveness.h"
#include "assembly/procedure.h"
#include "core/plan.h"
#include "format/map.h"
#include "weave/options.h"
#include "weave/pieces.h"
#include "weave/sites.h"
#include "weave/widen_frame.h"

namespace chord::weave {

// What stands on one edge, in the order of execution.
struct PathProbe {
  struct Part {
    isa::Snippet snippet;
    Effect effect = Effect::none;
    int64_t amount = 0;
    Detour detour = {};
  };
  Site site;
  uint32_t edge = core::kNone;
  std::vector<Part> parts;
  // Widened frames (weave/widen_frame.h) are made on the way in and go on the way out.
  enum class Role : uint8_t { inside, enters, leaves } role = Role::inside;
};

struct PathWeaving {
  core::Plan plan;
  isa::PathHolder holder;
  std::vector<PathProbe> probes;  // in the order of execution where several stand at one place
  std::vector<uint32_t> above;  // instructions whose operands move with a widened frame
  std::vector<Replacement> moved;  // and these operands
};

// What the whole unit is asked for once.
struct PathContext {
  const assembly::Unit *unit = nullptr;
  const format::UnitMap *map = nullptr;
  bool other_convention = false;  // frames and callee-saved registers are not C's
};

// Nothing, with the reason, if the procedure's paths cannot be counted. `weights` by
// edge: how often each is expected to be taken; `n` is the procedure's number. The plan
// is Placement::none if paths are to be chosen, and none of this procedure is.
std::optional<PathWeaving> plan_paths(const PathContext &context, const assembly::Procedure &procedure,
                                      const format::Procedure &map, uint32_t n,
                                      const assembly::Liveness &liveness, const Sites &sites,
                                      const std::vector<double> &weights, const Options &options,
                                      std::string &why_not);

}  // namespace chord::weave
