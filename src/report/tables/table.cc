#include "report/tables/table.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace chord::report {
namespace {

uint64_t weight_of(const Cell &cell) {
  if (cell.kind == CellKind::change) return cell.change < 0 ? -static_cast<uint64_t>(cell.change) : static_cast<uint64_t>(cell.change);
  return cell.kind == CellKind::number ? cell.number : 0;
}

}  // namespace

void Table::arrange(const std::vector<size_t> &order) {
  std::vector<Cell> cells;
  cells.reserve(order.size() * columns.size());
  for (size_t row : order) {
    auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(row * columns.size());
    cells.insert(cells.end(), begin, begin + static_cast<std::ptrdiff_t>(columns.size()));
  }
  cells_ = std::move(cells);
}

void Table::keep_top(size_t n) {
  std::vector<size_t> order(rows());
  std::iota(order.begin(), order.end(), size_t{0});
  size_t kept = std::min(n, order.size());
  auto heavier = [&](size_t a, size_t b) {
    uint64_t x = weight_of(at(a, weight)), y = weight_of(at(b, weight));
    return x != y ? x > y : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(), heavier);
  order.resize(kept);
  arrange(order);
}

void Table::sort_by_weight() { keep_top(rows()); }

size_t Table::find_column(std::string_view key) const {
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].key == key) return c;
  }
  return kNoColumn;
}

size_t Table::column(std::string_view key) const {
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].key == key) return c;
  }
  throw std::out_of_range("no such column: " + std::string(key));
}

std::string group_digits(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string counted(uint64_t n, std::string_view one) { return group_digits(n) + " " + std::string(one) + (n == 1 ? "" : "s"); }

}  // namespace chord::report
