// Metrics in listings: what rows say of them beside their counts.
#pragma once

#include "analysis/program/program.h"
#include "report/tables/table.h"

namespace chord::report {

// The last column of a table, `metrics`: in JSON an object of names and numbers. Tables of programs without metrics stay as they are.
class MetricsColumn {
 public:
  // `key` names it in JSON and CSV; without a heading it is not in the text.
  MetricsColumn(Table &table, const std::vector<std::string> &metrics, const char *key = "metrics", const char *heading = "metrics");
  void put(std::vector<Cell> &row, const analysis::MetricValues &values);

 private:
  Table &table_;
  const std::vector<std::string> &metrics_;
};

}  // namespace chord::report
