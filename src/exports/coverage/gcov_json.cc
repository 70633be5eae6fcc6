// gcov's JSON (gcov --json-format, version 1), with the members that gcovr adds to it, so
// that `gcovr -a` takes the same file.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/cxx_names.h"
#include "exports/coverage/coverage.h"
#include "exports/exports.h"
#include "report/tables/listings.h"

namespace chord::exports {
namespace {

using nlohmann::ordered_json;

constexpr const char *kGcovVersion = "1";
constexpr const char *kGcovrVersion = "0.3";

ordered_json function_json(const CoveredFunction &f) {
  return {{"name", f.name},
          {"demangled_name", base::demangle(f.name)},
          {"start_line", f.line},
          {"end_line", f.last_line},
          {"blocks", f.blocks},
          {"blocks_executed", f.blocks_executed},
          {"execution_count", f.calls},
          {"lineno", f.line}};
}

ordered_json line_json(const CoveredLine &l) {
  return {{"line_number", l.line},
          {"count", l.hits},
          {"unexecuted_block", false},
          {"branches", ordered_json::array()},
          {"gcovr/noncode", false},
          {"gcovr/excluded", false}};
}

ordered_json file_json(const CoveredFile &file) {
  ordered_json out{{"file", file.path}, {"functions", ordered_json::array()}, {"lines", ordered_json::array()}};
  for (const CoveredFunction &f : file.functions) out["functions"].push_back(function_json(f));
  size_t next = 0;
  for (const CoveredLine &l : file.lines) {
    ordered_json line = line_json(l);
    for (; next < file.branches.size() && file.branches[next].line <= l.line; ++next) {
      const CoveredBranch &b = file.branches[next];
      if (b.line != l.line) continue;
      line["branches"].push_back({{"count", b.taken}, {"fallthrough", b.fallthrough}, {"throw", false}});
      if (l.hits != 0 && !b.reached) line["unexecuted_block"] = true;
    }
    out["lines"].push_back(std::move(line));
  }
  return out;
}

}  // namespace

Exported write_gcov_json(const Input &input) {
  Coverage coverage = measure_coverage(input.program);
  ordered_json root{{"format_version", kGcovVersion},
                    {"gcc_version", fmt::format("chord {}", CHORD_VERSION)},
                    {"current_working_directory", ""},
                    {"data_file", input.program.path},
                    {"gcovr/format_version", kGcovrVersion},
                    {"files", ordered_json::array()}};
  for (const CoveredFile &file : coverage.files) root["files"].push_back(file_json(file));
  return {root.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n", std::move(coverage.warnings)};
}

}  // namespace chord::exports
