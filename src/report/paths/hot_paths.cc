#include "report/paths/hot_paths.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/source/functions.h"
#include "base/cxx_names.h"
#include "report/paths/paths.h"
#include "report/plots/bar_chart.h"
#include "report/tables/listings.h"

namespace chord::report {
namespace {

using analysis::CountedPath;
using analysis::CountedProcedure;
using analysis::Program;

struct PathRow {
  const CountedProcedure *procedure = nullptr;
  const CountedPath *path = nullptr;  // of paths
  uint64_t count = 0, instructions = 0, value = 0, paths = 0;
  uint64_t per = 0;  // what the value is related to: instructions, or another metric
  std::optional<uint64_t> error = {};  // what of the value probes took
};

bool is_dense(const PathRow &row, const HotTable &all) {
  return static_cast<double>(row.value) * static_cast<double>(all.per) > static_cast<double>(all.total) * static_cast<double>(row.per);
}

bool is_hot(const PathRow &row, uint64_t total, double threshold) {
  return row.value > 0 && static_cast<double>(row.value) >= threshold * static_cast<double>(total);
}

void add(HotClass &to, const PathRow &row) {
  ++to.rows;
  to.value += row.value;
}

HotTable classify(const std::vector<PathRow> &rows) {
  HotTable out;
  out.rows = rows.size();
  for (const PathRow &row : rows) {
    out.total += row.value;
    out.per += row.per;
  }
  constexpr std::array<double, 2> kThresholds = {0.01, 0.001};
  for (size_t k = 0; k < kThresholds.size(); ++k) {
    HotSummary &s = out.summaries[k];
    s.threshold = kThresholds[k];
    for (const PathRow &row : rows) {
      if (!is_hot(row, out.total, s.threshold)) continue;
      add(s.hot, row);
      add(is_dense(row, out) ? s.dense : s.sparse, row);
    }
  }
  return out;
}

std::string spaced_percent(uint64_t part, uint64_t whole) {
  return fmt::format("{:.1f} %", whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string summarize(const Program &program, size_t metric, const HotTable &all, const char *what) {
  std::string text = fmt::format("{}: {} {} by {} {}", program.name, group_digits(all.total), program.metrics[metric], group_digits(all.rows), what);
  for (const HotSummary &s : all.summaries) {
    text += fmt::format("\n{:>5} hot {} (each at least {:.1f} %) take {}: {} dense {}, {} sparse {}", s.hot.rows, what, 100 * s.threshold,
                        spaced_percent(s.hot.value, all.total), s.dense.rows, spaced_percent(s.dense.value, all.total), s.sparse.rows,
                        spaced_percent(s.sparse.value, all.total));
  }
  return text;
}

std::string ratio(uint64_t value, uint64_t per) {
  if (per == 0) return "";
  double each = static_cast<double>(value) / static_cast<double>(per);
  return value != 0 && each < 0.01 ? fmt::format("{:.2g}", each) : fmt::format("{:.3f}", each);  // rare events of one kind for each of a frequent one
}

// After the value, where probes take anything of it.
void show_errors(Table &t, const std::vector<PathRow> &rows, size_t column) {
  if (std::any_of(rows.begin(), rows.end(), [](const PathRow &row) { return row.error.value_or(0) != 0; })) t.text_order.insert(t.text_order.begin() + 2, column);
}

// Its key in JSON.
const char *ratio_key(const HotBy &by) { return by.per ? "ratio" : "per_instruction"; }

uint64_t related(const HotBy &by, const analysis::MetricValues &values, uint64_t instructions) {
  return by.per ? analysis::value_of(values, *by.per).value_or(0) : instructions;
}

}  // namespace

HotTable list_hot_paths(const Program &program, const HotBy &by, double threshold) {
  std::vector<PathRow> rows;
  for (const CountedProcedure &p : program.procedures) {
    for (const CountedPath &path : p.paths) {
      std::optional<uint64_t> value = analysis::value_of(path.metrics, by.metric);
      if (path.count <= 0 || !value) continue;
      auto count = static_cast<uint64_t>(path.count);
      uint64_t instructions = count * analysis::length_of(*p.map, path);
      rows.push_back({&p, &path, count, instructions, *value, 0, related(by, path.metrics, instructions),
                      analysis::value_of(path.metrics_error, by.metric)});
    }
  }
  HotTable out = classify(rows);
  Table &t = out.table;
  t.by = "path";
  t.columns = {{"function", "", true}, {"demangled", "function", true, Holds::names}, {"path", "path"}, {"count", "count"},
               {"executed", "instructions"}, {"value", program.metrics[by.metric]}, {"share", "share"},
               {ratio_key(by), "each", false}, {"class", "class", true}, {"lines", "lines", true}, {"error", "of probes"}};
  t.text_order = {6, 5, 7, 8, 4, 3, 2, 1, 9};
  show_errors(t, rows, 10);
  t.weight = 5;
  for (const PathRow &row : rows) {
    if (!is_hot(row, out.total, threshold)) continue;
    t.add({text(row.procedure->map->name), text(t.keep(base::demangle(row.procedure->map->name))),
           row.path->partial ? Cell{} : ordinal(row.path->number), number(row.count), number(row.instructions), number(row.value),
           share(row.value, out.total), text(t.keep(ratio(row.value, row.per))), text(is_dense(row, out) ? "dense" : "sparse"),
           list(t.keep(path_lines(*row.procedure, *row.path))), number_if(row.error.has_value(), row.error.value_or(0))});
  }
  t.sort_by_weight();
  t.summary = summarize(program, by.metric, out, "paths");
  return out;
}

HotTable list_hot_functions(const Program &program, const HotBy &by, double threshold) {
  std::vector<PathRow> rows;
  for (const CountedProcedure &p : program.procedures) {
    std::optional<uint64_t> value = analysis::value_of(p.metrics.own, by.metric);
    if (!value || (p.instructions == 0 && *value == 0)) continue;
    auto paths = static_cast<uint64_t>(std::count_if(p.paths.begin(), p.paths.end(), [](const CountedPath &path) { return path.count > 0; }));
    rows.push_back({&p, nullptr, p.calls, p.instructions, *value, paths, related(by, p.metrics.own, p.instructions),
                    analysis::value_of(p.metrics.error, by.metric)});
  }
  HotTable out = classify(rows);
  Table &t = out.table;
  t.by = "function";
  t.columns = {{"function", "", true}, {"demangled", "function", true, Holds::names}, {"calls", "calls"}, {"executed", "instructions"},
               {"value", program.metrics[by.metric]}, {"inclusive", "inclusive"}, {"share", "share"}, {ratio_key(by), "each", false},
               {"class", "class", true}, {"paths", "paths"}, {"error", "of probes"}};
  t.text_order = {6, 4, 5, 7, 8, 3, 2, 9, 1};
  show_errors(t, rows, 10);
  t.weight = 4;
  for (const PathRow &row : rows) {
    if (!is_hot(row, out.total, threshold)) continue;
    std::optional<uint64_t> total = analysis::value_of(row.procedure->metrics.total, by.metric);
    t.add({text(row.procedure->map->name), text(t.keep(base::demangle(row.procedure->map->name))), number(row.count), number(row.instructions),
           number(row.value), number_if(total.has_value(), total.value_or(0)), share(row.value, out.total),
           text(t.keep(ratio(row.value, row.per))), text(is_dense(row, out) ? "dense" : "sparse"),
           number_if(row.paths != 0, row.paths), number_if(row.error.has_value(), row.error.value_or(0))});
  }
  t.sort_by_weight();
  t.summary = summarize(program, by.metric, out, "functions");
  return out;
}

namespace {

void add_study(Table &t, const HotStudy &study, const char *what, const HotTable &all) {
  for (const HotSummary &s : all.summaries) {
    t.add({text(t.keep(study.program)), text(t.keep(study.metric)), text(what), text(s.threshold == 0.01 ? "1 %" : "0.1 %"), number(all.rows), number(all.total),
           number(s.hot.rows), share(s.hot.value, all.total), number(s.dense.rows), share(s.dense.value, all.total), number(s.sparse.rows),
           share(s.sparse.value, all.total)});
  }
}

}  // namespace

Table hot_table(const std::vector<HotStudy> &studies) {
  Table t;
  t.by = "study";
  t.columns = {{"program", "program", true}, {"metric", "metric", true}, {"of", "of", true}, {"threshold", "hot from", true}, {"rows", "executed"},
               {"total", "total"}, {"hot", "hot"}, {"hot_share", "share"}, {"dense", "dense"}, {"dense_share", "share"},
               {"sparse", "sparse"}, {"sparse_share", "share"}};
  t.text_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  t.weight = 5;
  for (const HotStudy &study : studies) {
    if (study.paths.rows != 0) add_study(t, study, "paths", study.paths);
    add_study(t, study, "functions", study.functions);
  }
  return t;
}

std::string hot_svg(const std::vector<HotStudy> &studies) {
  BarChart chart;
  chart.title = "what hot paths and functions (each at least 1 %) take of metrics";
  chart.stacked = chart.percent = true;
  chart.series = {{"dense", {}}, {"sparse", {}}, {"the rest", {}}};
  auto add = [&](const std::string &name, const HotTable &all) {
    if (all.total == 0) return;
    auto part = [&](uint64_t value) { return static_cast<double>(value) / static_cast<double>(all.total); };
    const HotSummary &s = all.summaries[0];
    chart.groups.push_back(name);
    chart.series[0].values.push_back(part(s.dense.value));
    chart.series[1].values.push_back(part(s.sparse.value));
    chart.series[2].values.push_back(part(all.total - s.hot.value));
  };
  for (const HotStudy &study : studies) {
    if (study.paths.rows != 0) add(fmt::format("{} {} paths", study.program, study.metric), study.paths);
    add(fmt::format("{} {} functions", study.program, study.metric), study.functions);
  }
  return bar_chart_svg(chart);
}

}  // namespace chord::report
