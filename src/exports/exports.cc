#include "exports/exports.h"

#include <fmt/core.h>

#include "base/diagnostics.h"

namespace chord::exports {
namespace {

constexpr Format kFormats[] = {
    {"lcov", "coverage of lines, functions and branches, for genhtml and most coverage services", write_lcov, false, true},
    {"cobertura", "the same as Cobertura's XML, for Jenkins, GitLab and Azure", write_cobertura, false, true},
    {"gcov-json", "the same as gcov's JSON, which gcovr reads, too", write_gcov_json, false, true},
    {"callgrind", "instructions, lines, calls and jumps, for KCachegrind and callgrind_annotate", write_callgrind, false},
    {"sarif", "lines that never ran or exceed --budget, for editors and code hosts", write_sarif, false},
    {"bbv", "basic-block vectors of the runs or marks, for SimPoint", write_bbv, false, false, true},
    {"sqlite", "a database of functions, blocks, edges, lines, calls, paths and runs", write_sqlite, true},
    {"folded", "calling contexts, one stack a line, for flamegraph.pl and inferno", write_folded, false},
    {"speedscope", "calling contexts for speedscope", write_speedscope, false},
    {"pprof", "calling contexts with calls and instructions by thread, for pprof", write_pprof, true},
    {"firefox", "calling contexts by thread, for Firefox Profiler", write_firefox, false},
    {"svg", "calling contexts as a flame graph, for any browser", write_svg, false},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format &format_named(const std::string &name) {
  std::string names;
  for (const Format &format : kFormats) {
    if (name == format.name) return format;
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  throw base::UsageError(fmt::format("{}: no such format", name), fmt::format("choose from {}", names));
}

}  // namespace chord::exports
