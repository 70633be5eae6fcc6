#include "dap/breakpoints.h"

#include <fmt/core.h>

#include <algorithm>

namespace chord::dap {

using nlohmann::json;

void Breakpoints::refuse(const std::string &why) { answers_.push_back({{"verified", false}, {"message", why}}); }

// False, with the reason, if it has conditions that cannot be tested on a recording.
bool Breakpoints::limit_hits(const json &wanted, Breakpoint &breakpoint) {
  if (!wanted.value("condition", "").empty() || !wanted.value("logMessage", "").empty()) {
    refuse("values are not recorded: only hits can be counted (hit condition)");
    return false;
  }
  std::string hits = wanted.value("hitCondition", "");
  if (hits.empty() || parse_hit_condition(hits, breakpoint)) return true;
  refuse(fmt::format("{}: no condition on hits: N, >= N, > N, <= N, < N or % N", hits));
  return false;
}

void Breakpoints::set_line(const Recording &recording, const std::vector<uint32_t> &files, const json &wanted) {
  uint32_t line = wanted.at("line").get<uint32_t>();
  Breakpoint breakpoint;
  for (uint32_t file : files) {
    std::vector<uint32_t> lines = recording.lines_with_code(file);
    auto found = std::lower_bound(lines.begin(), lines.end(), line);
    if (found == lines.end() || (breakpoint.file != kNoFile && *found >= breakpoint.line)) continue;
    breakpoint.file = file;
    breakpoint.line = *found;
  }
  if (breakpoint.file == kNoFile) return refuse("no code of the recorded program is at or after this line");
  if (!limit_hits(wanted, breakpoint)) return;
  breakpoint.id = ++last_id_;
  all_.push_back(breakpoint);
  answers_.push_back({{"id", breakpoint.id}, {"verified", true}, {"line", breakpoint.line}, {"source", {{"path", recording.file_name(breakpoint.file)}}}});
}

void Breakpoints::set_lines(const Recording &recording, const json &arguments) {
  answers_ = json::array();
  const json &source = arguments.at("source");
  std::string path = source.value("path", source.value("name", ""));
  std::vector<uint32_t> files = recording.files_named(path);
  std::erase_if(all_, [&](const Breakpoint &b) { return !b.on_function && std::find(files.begin(), files.end(), b.file) != files.end(); });
  for (const json &wanted : arguments.value("breakpoints", json::array())) {
    if (files.empty()) {
      refuse(fmt::format("{}: no file of the recorded program", path));
    } else {
      set_line(recording, files, wanted);
    }
  }
}

void Breakpoints::set_functions(const Recording &recording, const json &arguments) {
  answers_ = json::array();
  std::erase_if(all_, [](const Breakpoint &b) { return b.on_function; });
  for (const json &wanted : arguments.at("breakpoints")) {
    std::string name = wanted.at("name").get<std::string>();
    std::vector<uint32_t> functions = recording.functions_named(name);
    Breakpoint breakpoint;
    breakpoint.on_function = true;
    if (functions.empty()) {
      refuse(fmt::format("{}: no function of the recorded program", name));
      continue;
    }
    if (!limit_hits(wanted, breakpoint)) continue;
    breakpoint.id = ++last_id_;
    for (uint32_t function : functions) {  // overloads and copies are one breakpoint
      breakpoint.function = function;
      all_.push_back(breakpoint);
    }
    answers_.push_back({{"id", breakpoint.id}, {"verified", true}});
  }
}

}  // namespace chord::dap
