// The segments of a profile, each counted by itself: a run, or what passed between two
// calls of chord_mark or chord_dump.
#pragma once

#include <functional>
#include <string>

#include "exports/exports.h"

namespace chord::exports {

struct Interval {
  const format::Segment &segment;
  const analysis::Program &program;  // its counts alone
};

// In the order of the file. Procedures are those of input.program, in the same order.
void each_interval(const Input &input, const std::function<void(const Interval &)> &visit);

}  // namespace chord::exports
