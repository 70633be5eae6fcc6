// One run of a program, and what it took: by the clock, by the events that the kernel counts here, and, of another run in single steps, exactly, by instruction.
//
// The program gets its arguments, no input, and nobody reads its output.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/studies/started_program.h"
#include "isa/traits.h"

namespace chord::cli {

struct RunEvent {
  std::string name;
  uint64_t value = 0;
};
// Elapsed `time` and `tsc`, then what perf calls events. Throws Error if it cannot be started or a signal ends it.
std::vector<RunEvent> measure_run(const RunCommand &command);

// Instructions of the program's own code that it executed.
struct StepCounts {
  uint64_t instructions = 0, loads = 0, stores = 0, branches = 0;
  bool complete = true;  // false: it was to take more than so many steps, and was ended

  void add(isa::Traits traits) { add(traits, 1); }
  void add(isa::Traits traits, uint64_t times);
};
// What an address belongs to.
enum class CodeKind : uint8_t {
  other,
  own,
  runtime,
  setup,  // of the runtime, once in a process: not even in main
};
struct StepOptions {
  uint64_t most_steps = 0;
  // Of a function's name.
  std::function<CodeKind(std::string_view)> kind;
};
// Code of the kind `runtime` counts where main runs: starting, and writing the profile, are not what probes do, nor is measuring what they take.
StepCounts step_run(const RunCommand &command, const StepOptions &options);

}  // namespace chord::cli
