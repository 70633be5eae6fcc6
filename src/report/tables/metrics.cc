#include "report/tables/metrics.h"

#include <fmt/core.h>

namespace chord::report {

MetricsColumn::MetricsColumn(Table &table, const std::vector<std::string> &metrics, const char *key, const char *heading)
    : table_(table), metrics_(metrics) {
  if (metrics.empty()) return;
  table.columns.push_back({key, heading, true});
  if (*heading != '\0') table.text_order.push_back(table.columns.size() - 1);
}

void MetricsColumn::put(std::vector<Cell> &row, const analysis::MetricValues &values) {
  if (metrics_.empty()) return;
  std::string pairs;
  for (size_t m = 0; m < metrics_.size(); ++m) {
    std::optional<uint64_t> value = analysis::value_of(values, m);
    if (value) pairs += fmt::format("{}{}\t{}", pairs.empty() ? "" : "\n", metrics_[m], *value);
  }
  row.push_back(object(table_.keep(std::move(pairs))));
}

}  // namespace chord::report
