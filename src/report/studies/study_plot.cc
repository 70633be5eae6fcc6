// The plot of `chord study placement`: plain SVG, no script, readable in light and dark.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>

#include "report/plots/svg.h"
#include "report/studies/study.h"

namespace chord::report {
namespace {

using analysis::PlacementStudy;
using analysis::StudiedWeights;
using core::Placement;

constexpr std::array kBarColors = {"#9aa5b1", "#4c78a8", "#2a9d8f", "#e76f51"};
constexpr int kBarWidth = 16, kGroupGap = 22, kPlotHeight = 200, kLeft = 56, kTop = 44, kPanel = 320,
              kTextSize = 12;

struct Series {
  std::string name;
  std::function<double(const PlacementStudy &)> value;  // 1: as many as one counter per block
};

double relative(const PlacementStudy &s, Placement placement, StudiedWeights weights) {
  uint64_t whole = s.at(Placement::redundant, StudiedWeights::measured).increments;
  if (whole == 0) return 0;
  return static_cast<double>(s.at(placement, weights).increments) / static_cast<double>(whole);
}

std::string axis(double bottom, double width, double greatest) {
  std::string out;
  for (int tick = 0; tick <= 4; ++tick) {
    double y = bottom - kPlotHeight * tick / 4.0;
    out += fmt::format("<line x1=\"{0}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"grid\"/>\n",
                       kLeft, kLeft + width, y);
    out += svg_label(kLeft - 6, y + 4, "end", fmt::format("{:.0f}%", 100 * greatest * tick / 4.0));
  }
  return out;
}

std::string panel(double top, const std::string &title, const std::vector<Series> &series,
                  const std::vector<PlacementStudy> &studies, double width) {
  double greatest = 1;
  for (const Series &s : series) {
    for (const PlacementStudy &study : studies) greatest = std::max(greatest, s.value(study));
  }
  double bottom = top + kTop + kPlotHeight;
  std::string out = svg_label(kLeft, top + 16, "start", title) + axis(bottom, width, greatest);
  double x = kLeft + kGroupGap / 2.0;
  for (const PlacementStudy &study : studies) {
    double middle = x + static_cast<double>(series.size()) * kBarWidth / 2;
    for (size_t i = 0; i < series.size(); ++i, x += kBarWidth) {
      double value = series[i].value(study), height = kPlotHeight * value / greatest;
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"><title>{}, {}: "
          "{:.1f}%</title>"
          "</rect>\n",
          x, bottom - height, kBarWidth - 2, height, kBarColors[i], svg_escaped(study.program), series[i].name,
          100 * value);
    }
    out += svg_label(middle, bottom + 16, "middle", study.program);
    x += kGroupGap;
  }
  double key = kLeft;
  for (size_t i = 0; i < series.size(); ++i) {
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n", key,
                       top + 26, kBarColors[i]);
    out += svg_label(key + 14, top + 35, "start", series[i].name);
    key += 30 + 7.0 * static_cast<double>(series[i].name.size());
  }
  return out;
}

}  // namespace

std::string placement_svg(const std::vector<PlacementStudy> &studies) {
  std::vector<Series> places, weights;
  for (Placement p : analysis::kStudiedPlacements) {
    places.push_back(
        {name_of(p), [p](const PlacementStudy &s) { return relative(s, p, StudiedWeights::measured); }});
  }
  for (StudiedWeights w : analysis::kStudiedWeights) {
    weights.push_back(
        {name_of(w), [w](const PlacementStudy &s) { return relative(s, Placement::optimal, w); }});
  }
  double width = static_cast<double>(studies.size()) * (4 * kBarWidth + kGroupGap) + kGroupGap;
  double whole = std::max(width + kLeft + 20, 420.0);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1}\" viewBox=\"0 0 "
             "{0:.0f} {1}\">\n"
             "<style>text{{font:{2}px sans-serif;fill:#667}} .grid{{stroke:#8886;stroke-width:1}}</style>\n",
             whole, 2 * kPanel, kTextSize) +
         panel(0, "increments by placement, measured weights", places, studies, width) +
         panel(kPanel, "increments of edge counters by weights", weights, studies, width) + "</svg>\n";
}

}  // namespace chord::report
