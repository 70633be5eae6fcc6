#include "analysis/contexts/context_pattern.h"

#include <fmt/core.h>

#include "base/diagnostics.h"
#include "base/function_names.h"

namespace chord::analysis {
namespace {

std::vector<std::string> steps_of(const std::string &pattern) {
  std::vector<std::string> steps;
  for (size_t at = 0; at <= pattern.size();) {
    size_t end = std::min(pattern.find(" > ", at), pattern.size());
    std::string step = pattern.substr(at, end - at);
    step.erase(0, step.find_first_not_of(' '));
    step.erase(step.find_last_not_of(' ') + 1);
    steps.push_back(step);
    at = end + 3;
  }
  return steps;
}

}  // namespace

std::string context_id(uint64_t key) { return fmt::format("{:016x}", key); }

// States of the pattern, one bit each, that the chain down to a context can have brought it to: bit i means that
// the first i steps are matched.
std::vector<bool> chosen_contexts(const std::string &wanted, const std::vector<CountedContext> &contexts, const NameOf &name_of) {
  std::vector<bool> chosen(contexts.size());
  std::vector<std::string> steps = steps_of(wanted);
  if (steps.size() > 63) throw base::UsageError("--context: a pattern of more than 63 functions");
  std::vector<base::NamedFunctions> named(steps.begin(), steps.end());
  auto skip = [&](uint64_t states) {  // a lone * may stand for nothing
    for (size_t i = 0; i < steps.size(); ++i) {
      if ((states >> i & 1) && steps[i] == "*") states |= uint64_t{2} << i;
    }
    return states;
  };
  std::vector<uint64_t> states(contexts.size());
  bool any = false;
  for (size_t c = 0; c < contexts.size(); ++c) {
    uint64_t before = contexts[c].parent == core::kNone ? skip(1) : states[contexts[c].parent];
    const std::string &name = name_of(contexts[c].procedure);
    for (size_t i = 0; i < steps.size(); ++i) {
      if (!(before >> i & 1)) continue;
      if (steps[i] == "*") states[c] |= uint64_t{1} << i;
      else if (named[i].contains(name)) states[c] |= uint64_t{2} << i;
    }
    states[c] = skip(states[c]);
    chosen[c] = (states[c] >> steps.size() & 1) || context_id(contexts[c].key) == wanted;
    any = any || chosen[c];
  }
  if (!any) throw base::UsageError(fmt::format("--context={}: no calling context is meant", wanted), "`chord contexts` lists them with their keys");
  return chosen;
}

}  // namespace chord::analysis
