// Stepping and running through a recording, in both directions.
//
// Lines are steps of an activation: an activation comes to a line when the instruction it executed before was on another one. Going
// forward, a step ends at the first moment of a line; going backward, too, so that stepping back and forth visits the same moments.
// Every walk is one pass over the moments between where it starts and where it ends.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dap/recording.h"

namespace chord::dap {

// A line of a file, or the entry of a function.
struct Breakpoint {
  uint32_t id = 0;
  bool on_function = false;
  uint32_t function = 0;
  uint32_t file = kNoFile;
  uint32_t line = 0;
  // Which of its hits, counted from the thread's first instruction, stop: every `every`th from number `from` on, up to number `to`.
  uint64_t from = 1, to = UINT64_MAX, every = 1;

  bool is_counted() const { return from != 1 || to != UINT64_MAX || every != 1; }
  bool wants(uint64_t hit) const { return hit >= from && hit <= to && (hit - from) % every == 0; }
};

// "N" or "== N", ">= N", "> N", "< N", "<= N", "% N". Nothing if it is none of these.
bool parse_hit_condition(const std::string &text, Breakpoint &breakpoint);

struct Stop {
  uint64_t number = 0;
  std::optional<uint32_t> breakpoint;  // the one that was hit; none: the step is done, or the recording ends here
};

enum class Granularity : uint8_t { line, instruction };

// For one set of breakpoints, which must not change as long as it lives.
class Stepper {
 public:
  Stepper(Recording &recording, const std::vector<Breakpoint> &breakpoints) : recording_(recording), breakpoints_(breakpoints) {}

  // To the next line, or into what this one calls; backward: to the start of the line before in this activation, or in its caller.
  Stop step_over(size_t thread, uint64_t number, Granularity granularity, Direction direction);
  Stop step_in(size_t thread, uint64_t number, Granularity granularity);
  Stop step_out(size_t thread, uint64_t number);
  // To the nearest hit of a breakpoint, or the end.
  Stop run(size_t thread, uint64_t number, Direction direction);

 private:
  Stop run_forward(size_t thread, uint64_t number);
  Stop run_backward(size_t thread, uint64_t number);
  Stop back_to_line_start(size_t thread, const Step &in);
  const Breakpoint *at_line(const Location &at) const;
  const Breakpoint *at_entry(const Step &step) const;
  const std::vector<uint64_t> &wanted_hits(size_t thread, const Breakpoint &breakpoint);
  bool stops(size_t thread, uint64_t number, const Breakpoint &breakpoint);

  Recording &recording_;
  const std::vector<Breakpoint> &breakpoints_;
  std::map<std::pair<size_t, uint32_t>, std::vector<uint64_t>> wanted_;  // by thread and breakpoint, found when first asked for
};

}  // namespace chord::dap
