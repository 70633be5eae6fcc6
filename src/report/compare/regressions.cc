#include "report/compare/regressions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/cxx_names.h"
#include "core/graph/wide.h"
#include "report/tables/listings.h"
#include "report/tables/table.h"

namespace chord::report {
namespace {

using core::Wide;

constexpr size_t kGrownContexts = 3;

// Totals of one side, with the number of runs they are of.
struct Side {
  uint64_t count = 0, runs = 1;
  double each() const { return static_cast<double>(count) / static_cast<double>(runs); }
};

bool less(const Side &a, const Side &b) { return static_cast<Wide>(a.count) * b.runs < static_cast<Wide>(b.count) * a.runs; }

std::string place_of(const BaselineFunction &f, const std::string &line) {
  if (!line.starts_with('+') || f.line == 0) return line;
  return fmt::format("{}:{}", f.file, f.line + std::strtoul(line.c_str() + 1, nullptr, 10));
}

void add_lines(const Baseline &old, const Baseline &fresh, const BaselineFunction *was, const BaselineFunction &is, Growth &growth) {
  for (const auto &[line, executed] : is.lines) {
    uint64_t before = 0;
    if (was != nullptr) {
      auto found = was->lines.find(line);
      if (found != was->lines.end()) before = found->second;
    }
    Side a{before, old.runs}, b{executed, fresh.runs};
    if (!less(a, b)) continue;
    auto number = line.starts_with('+') ? is.line + static_cast<uint32_t>(std::strtoul(line.c_str() + 1, nullptr, 10)) : 0;
    growth.lines.push_back({place_of(is, line), number, a.each(), b.each()});
  }
  std::stable_sort(growth.lines.begin(), growth.lines.end(),
                   [](const LineGrowth &a, const LineGrowth &b) { return a.now - a.before > b.now - b.before; });
  auto own = std::find_if(growth.lines.begin(), growth.lines.end(), [](const LineGrowth &l) { return l.line != 0; });
  if (own != growth.lines.end()) growth.line = own->line;
}

bool holds_contexts(const Baseline &b) {
  return std::any_of(b.functions.begin(), b.functions.end(), [](const BaselineFunction &f) { return !f.contexts.empty(); });
}

void add_contexts(const Baseline &old, const Baseline &fresh, const BaselineFunction *was, const BaselineFunction &is, Growth &growth) {
  if (!holds_contexts(old)) return;
  for (const auto &[chain, executed] : is.contexts) {
    uint64_t before = 0;
    if (was != nullptr) {
      auto found = was->contexts.find(chain);
      // It may be one of those that were left out: what it took then is not known.
      if (found == was->contexts.end() && was->other_contexts != 0) continue;
      if (found != was->contexts.end()) before = found->second;
    }
    Side a{before, old.runs}, b{executed, fresh.runs};
    if (less(a, b)) growth.contexts.push_back({chain, a.each(), b.each()});
  }
  std::stable_sort(growth.contexts.begin(), growth.contexts.end(),
                   [](const ContextGrowth &a, const ContextGrowth &b) { return a.now - a.before > b.now - b.before; });
}

std::string count(double value) {
  double whole = std::floor(value + 0.5);
  if (std::abs(value - whole) < 1e-9) return group_digits(static_cast<uint64_t>(whole));
  return fmt::format("{:.3f}", value);
}

std::string growth_text(double before, double now) {
  std::string out = fmt::format("{}{}", now < before ? "-" : "+", count(std::abs(now - before)));
  if (before > 0) out += fmt::format(", {:+.2f}%", 100 * (now - before) / before);
  return out;
}

}  // namespace

Comparison compare(const Baseline &before, const Baseline &now) {
  Comparison out;
  Side total_before{before.instructions, before.runs}, total_now{now.instructions, now.runs};
  out.before = total_before.each();
  out.now = total_now.each();
  out.total_grew = less(total_before, total_now);
  // By name and unit; where the unit was renamed, by name alone if that is telling.
  std::map<std::pair<std::string, std::string>, const BaselineFunction *> exact;
  std::map<std::string, std::vector<const BaselineFunction *>> named;
  for (const BaselineFunction &f : before.functions) {
    exact[{f.name, f.unit}] = &f;
    named[f.name].push_back(&f);
  }
  for (const BaselineFunction &f : now.functions) {
    auto found = exact.find({f.name, f.unit});
    const BaselineFunction *was = found != exact.end() ? found->second : nullptr;
    if (was == nullptr && named[f.name].size() == 1) was = named[f.name][0];
    ++out.compared;
    Side a{was != nullptr ? was->executed : 0, before.runs}, b{f.executed, now.runs};
    Side calls_a{was != nullptr ? was->calls : 0, before.runs}, calls_b{f.calls, now.runs};
    Growth growth{f.name, f.file, f.line, a.each(), b.each(), calls_a.each(), calls_b.each(), was == nullptr, {}};
    if (less(a, b)) {
      add_lines(before, now, was, f, growth);
      add_contexts(before, now, was, f, growth);
      out.grown.push_back(std::move(growth));
    } else if (less(b, a)) {
      out.shrunk.push_back(std::move(growth));
    }
  }
  auto more = [](const Growth &a, const Growth &b) { return std::abs(a.now - a.before) > std::abs(b.now - b.before); };
  std::stable_sort(out.grown.begin(), out.grown.end(), more);
  std::stable_sort(out.shrunk.begin(), out.shrunk.end(), more);
  return out;
}

std::string describe(const Growth &growth, size_t lines) {
  std::string out = fmt::format("{}: {} -> {} instructions a run ({})", growth.function.empty() ? "total" : base::demangle(growth.function),
                                count(growth.before), count(growth.now), growth_text(growth.before, growth.now));
  if (growth.fresh) out += ", new";
  if (growth.calls_before != growth.calls_now && !growth.function.empty()) {
    out += fmt::format(", calls {} -> {}", count(growth.calls_before), count(growth.calls_now));
  }
  out += "\n";
  for (size_t i = 0; i < std::min(lines, growth.lines.size()); ++i) {
    const LineGrowth &l = growth.lines[i];
    out += fmt::format("  {}: {} -> {} ({})\n", l.place, count(l.before), count(l.now), growth_text(l.before, l.now));
  }
  return out + describe_contexts(growth);
}

std::string describe_contexts(const Growth &growth) {
  std::string out;
  for (size_t i = 0; i < std::min(kGrownContexts, growth.contexts.size()); ++i) {
    const ContextGrowth &c = growth.contexts[i];
    out += fmt::format("  in {}: {} -> {} ({})\n", c.chain, count(c.before), count(c.now), growth_text(c.before, c.now));
  }
  return out;
}

}  // namespace chord::report
