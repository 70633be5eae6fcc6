#include "report/studies/perturbation.h"

#include <algorithm>

#include "report/plots/bar_chart.h"

namespace chord::report {
namespace {

Cell cell_of(const std::optional<uint64_t> &value) { return number_if(value.has_value(), value.value_or(0)); }

std::optional<double> ratio_of(const PerturbedEvent &e) {
  if (!e.plain || !e.woven || *e.plain == 0) return std::nullopt;
  return static_cast<double>(*e.woven) / static_cast<double>(*e.plain);
}

}  // namespace

Table perturbation_table(const std::vector<Perturbation> &studies) {
  Table t;
  t.by = "event";
  t.columns = {{"program", "program", true}, {"build", "build", true}, {"event", "event", true}, {"plain", "plain"}, {"counted", "counted"}, {"woven", "woven"}, {"ratio", "woven/plain"}, {"how", "", true}};
  t.text_order = {1, 2, 3, 4, 5, 6};
  t.weight = 5;
  for (const Perturbation &s : studies) {
    for (const PerturbedEvent &e : s.events) {
      std::optional<double> ratio = ratio_of(e);
      t.add({text(t.keep(s.program)), text(t.keep(s.woven)), text(t.keep(e.name)), cell_of(e.plain), cell_of(e.counted), cell_of(e.woven), ratio ? decimal(*ratio) : Cell{}, text(e.how)});
    }
  }
  return t;
}

std::string perturbation_svg(const std::vector<Perturbation> &studies) {
  BarChart chart;
  chart.title = "events of woven programs over those of the plain one";
  for (const Perturbation &s : studies) {
    for (const PerturbedEvent &e : s.events) {
      if (ratio_of(e) && std::find(chart.groups.begin(), chart.groups.end(), e.name) == chart.groups.end()) chart.groups.push_back(e.name);
    }
  }
  for (const Perturbation &s : studies) {
    BarChart::Series series{s.woven, std::vector<double>(chart.groups.size(), -1)};
    for (const PerturbedEvent &e : s.events) {
      auto at = std::find(chart.groups.begin(), chart.groups.end(), e.name);
      if (at != chart.groups.end()) series.values[static_cast<size_t>(at - chart.groups.begin())] = ratio_of(e).value_or(-1);
    }
    chart.series.push_back(std::move(series));
  }
  return bar_chart_svg(chart);
}

}  // namespace chord::report
