// Bars in groups, as plain SVG: no script, readable in light and dark.
#pragma once

#include <string>
#include <vector>

namespace chord::report {

struct BarChart {
  std::string title;
  std::vector<std::string> groups;
  struct Series {
    std::string name;
    std::vector<double> values;  // by group; negative: there is none
  };
  std::vector<Series> series;
  bool stacked = false;  // bars of a group on top of each other
  bool percent = false;  // values are shares
};

std::string bar_chart_svg(const BarChart &chart);

}  // namespace chord::report
