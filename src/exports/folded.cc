// Stacks one a line, as flamegraph.pl, inferno and speedscope read them: functions from the root on with semicolons between,
// a blank, and the instructions of the last.
#include <fmt/core.h>

#include <algorithm>

#include "exports/exports.h"
#include "exports/stacks.h"

namespace chord::exports {

Exported write_folded(const Input &input) {
  Stacks stacks = stacks_of(input.program);
  Exported out{{}, std::move(stacks.warnings)};
  std::vector<std::string> names;
  for (const Frame &frame : stacks.frames) {
    names.push_back(frame.name);
    std::replace(names.back().begin(), names.back().end(), ';', ':');
  }
  for (const Stack &stack : stacks.stacks) {
    for (size_t i = 0; i < stack.frames.size(); ++i) out.bytes += (i == 0 ? "" : ";") + names[stack.frames[i]];
    out.bytes += fmt::format(" {}\n", stack.instructions);
  }
  return out;
}

}  // namespace chord::exports
