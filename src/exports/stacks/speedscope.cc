// speedscope's own format (https://www.speedscope.app/file-format-schema.json): one sampled profile whose
// samples are the stacks and whose weights are instructions.
#include <nlohmann/json.hpp>

#include "exports/exports.h"
#include "exports/stacks/stacks.h"

namespace chord::exports {

Exported write_speedscope(const Input &input) {
  Stacks stacks = stacks_of(input.program);
  nlohmann::ordered_json frames = nlohmann::ordered_json::array(), samples = frames, weights = frames;
  for (const Frame &frame : stacks.frames) {
    nlohmann::ordered_json one{{"name", frame.name}};
    if (!frame.file.empty()) {
      one["file"] = frame.file;
      one["line"] = frame.line;
    }
    frames.push_back(std::move(one));
  }
  uint64_t total = 0;
  for (size_t n = 0; n < stacks.stacks.size(); ++n) {
    uint64_t instructions = stacks.stacks[n].instructions;
    if (instructions == 0) continue;
    samples.push_back(stacks.chain(n));
    weights.push_back(instructions);
    total += instructions;
  }
  nlohmann::ordered_json file{
      {"$schema", "https://www.speedscope.app/file-format-schema.json"},
      {"exporter", "chord " CHORD_VERSION},
      {"name", input.program.name},
      {"activeProfileIndex", 0},
      {"shared", {{"frames", std::move(frames)}}},
      {"profiles",
       nlohmann::ordered_json::array({{{"type", "sampled"},
                                       {"name", input.program.name},
                                       {"unit", "none"},
                                       {"startValue", 0},
                                       {"endValue", total},
                                       {"samples", std::move(samples)},
                                       {"weights", std::move(weights)}}})}};
  return {file.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n", std::move(stacks.warnings)};
}

}  // namespace chord::exports
