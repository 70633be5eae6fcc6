#include "exports/exports.h"

#include <fmt/core.h>

#include "base/diagnostics.h"

namespace chord::exports {
namespace {

constexpr Format kFormats[] = {
    {"lcov", "coverage of lines, functions and branches, for genhtml and most coverage services", write_lcov, false},
    {"cobertura", "the same as Cobertura's XML, for Jenkins, GitLab and Azure", write_cobertura, false},
    {"gcov-json", "the same as gcov's JSON, which gcovr reads, too", write_gcov_json, false},
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
