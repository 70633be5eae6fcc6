// Stacks one a line, as flamegraph.pl, inferno and speedscope read them: functions from the root on with semicolons between,
// a blank, and the instructions of the last.
#include <fmt/core.h>

#include <algorithm>

#include "exports/exports.h"
#include "exports/stacks/stacks.h"

namespace chord::exports {

Exported write_folded(const Input &input) {
  Stacks stacks = stacks_of(input.program);
  Exported out{{}, std::move(stacks.warnings)};
  std::vector<std::string> names;
  for (const Frame &frame : stacks.frames) {
    names.push_back(frame.name);
    std::replace(names.back().begin(), names.back().end(), ';', ':');
  }
  for (size_t n = 0; n < stacks.stacks.size(); ++n) {
    if (stacks.stacks[n].instructions == 0) continue;
    const char *between = "";
    for (uint32_t frame : stacks.chain(n)) {
      out.bytes += between + names[frame];
      between = ";";
    }
    out.bytes += fmt::format(" {}\n", stacks.stacks[n].instructions);
  }
  return out;
}

}  // namespace chord::exports
