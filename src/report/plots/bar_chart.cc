#include "report/plots/bar_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "report/plots/svg.h"

namespace chord::report {
namespace {

constexpr std::array kChartColors = {"#e76f51", "#4c78a8", "#2a9d8f", "#e9c46a", "#9aa5b1"};
constexpr double kLeftEdge = 56, kTopEdge = 44, kBarHeight = 200, kChartBar = 18, kChartGap = 26;

std::string value_text(const BarChart &chart, double value) { return chart.percent ? fmt::format("{:.0f}%", 100 * value) : fmt::format("{:.2f}", value); }

double highest_bar(const BarChart &chart) {
  double most = chart.percent ? 0 : 1;
  for (size_t g = 0; g < chart.groups.size(); ++g) {
    double sum = 0;
    for (const BarChart::Series &s : chart.series) {
      most = std::max(most, s.values[g]);
      sum += std::max(0.0, s.values[g]);
    }
    if (chart.stacked) most = std::max(most, sum);
  }
  return most > 0 ? most : 1;
}

}  // namespace

std::string bar_chart_svg(const BarChart &chart) {
  const double most = highest_bar(chart), bottom = kTopEdge + kBarHeight, bars = chart.stacked ? 1 : static_cast<double>(chart.series.size());
  const double group = bars * kChartBar + kChartGap, width = std::max(420.0, kLeftEdge + group * static_cast<double>(chart.groups.size()) + 40), height = bottom + 130;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
      "<style>text{{font:12px sans-serif;fill:#667}} .grid{{stroke:#8886;stroke-width:1}}</style>\n",
      width, height);
  out += svg_label(kLeftEdge, 16, "start", chart.title);
  for (int tick = 0; tick <= 4; ++tick) {
    double y = bottom - kBarHeight * tick / 4;
    out += fmt::format("<line x1=\"{0}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"grid\"/>\n", kLeftEdge, width - 20, y);
    out += svg_label(kLeftEdge - 6, y + 4, "end", value_text(chart, most * tick / 4));
  }
  double key = kLeftEdge;
  for (size_t s = 0; s < chart.series.size(); ++s) {
    out += fmt::format("<rect x=\"{:.1f}\" y=\"26\" width=\"10\" height=\"10\" fill=\"{}\"/>\n", key, kChartColors[s % kChartColors.size()]);
    out += svg_label(key + 14, 35, "start", chart.series[s].name);
    key += 30 + 7.0 * static_cast<double>(chart.series[s].name.size());
  }
  for (size_t g = 0; g < chart.groups.size(); ++g) {
    double x = kLeftEdge + kChartGap / 2 + group * static_cast<double>(g), top = bottom;
    for (size_t s = 0; s < chart.series.size(); ++s) {
      double value = chart.series[s].values[g];
      if (value < 0) continue;
      double tall = kBarHeight * value / most, y = chart.stacked ? top - tall : bottom - tall;
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"><title>{}, {}: {}</title></rect>\n",
                         x + (chart.stacked ? 0 : kChartBar * static_cast<double>(s)), y, kChartBar - 2, tall, kChartColors[s % kChartColors.size()], svg_escaped(chart.groups[g]),
                         svg_escaped(chart.series[s].name), value_text(chart, value));
      top -= tall;
    }
    out += svg_label(x + bars * kChartBar / 2, bottom + 14, "end", chart.groups[g], -40);
  }
  return out + "</svg>\n";
}

}  // namespace chord::report
