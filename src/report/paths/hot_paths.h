// Where a metric is spent, as Ammons, Ball and Larus tell it ("Exploiting Hardware Performance Counters with Flow and Context
// Sensitive Profiling", 1997): paths, or functions, that take at least a hundredth of it, or a thousandth in programs where
// it is spread, are hot; those of them with more of it for each instruction than the whole program are dense, the
// others sparse.
#pragma once

#include <array>
#include <optional>

#include "analysis/program/program.h"
#include "report/tables/table.h"

namespace chord::report {

struct HotClass {
  uint64_t rows = 0;
  uint64_t value = 0;  // of the metric
};
struct HotSummary {
  double threshold = 0;
  HotClass hot, dense, sparse;
};
struct HotTable {
  Table table;  // what is hot by the threshold that was asked for
  uint64_t total = 0, per = 0, rows = 0;  // over all that the metric was measured of
  std::array<HotSummary, 2> summaries;             // at 1 % and at 0.1 %
};

struct HotBy {
  size_t metric = 0;
  std::optional<size_t> per = {};  // dense: more than the program for each of this; else for each instruction
};
// `threshold`: share of the metric.
HotTable list_hot_paths(const analysis::Program &program, const HotBy &by, double threshold);
HotTable list_hot_functions(const analysis::Program &program, const HotBy &by, double threshold);

// Tables 4 and 5 of the paper: a row for each program, paths and functions, and threshold.
struct HotStudy {
  std::string program, metric;
  HotTable paths, functions;
};
Table hot_table(const std::vector<HotStudy> &studies);
// The same at 1 % as bars: what dense and sparse ones and the rest take.
std::string hot_svg(const std::vector<HotStudy> &studies);

}  // namespace chord::report
