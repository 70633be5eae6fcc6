#include "report/source/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace chord::report {
namespace {

constexpr std::array<std::string_view, 7> kListings = {"function", "file", "folder", "line", "block", "edge", "instruction"};
// Columns that count; the first that a listing has of the last two says whether its rows ran.
constexpr std::array<std::string_view, 4> kCounts = {"calls", "share", "executed", "count"};

bool is_count(std::string_view key) { return std::find(kCounts.begin(), kCounts.end(), key) != kCounts.end(); }

}  // namespace

Table as_coverage(Table counted) {
  if (std::find(kListings.begin(), kListings.end(), counted.by) == kListings.end()) {
    throw base::Error(fmt::format("--by={}: the program was built with --coverage, it has no counts", counted.by),
                      fmt::format("choose from {}", fmt::join(kListings, ", ")));
  }
  size_t evidence = counted.find_column("executed");
  if (evidence == Table::kNoColumn) evidence = counted.column("count");
  Table out;
  out.by = counted.by;
  out.note = counted.note;
  std::vector<size_t> kept;  // columns of `counted`
  for (size_t c = 0; c < counted.columns.size(); ++c) {
    if (c == evidence || !is_count(counted.columns[c].key)) kept.push_back(c);
  }
  for (size_t c : kept) out.columns.push_back(c == evidence ? Column{"ran", "ran"} : counted.columns[c]);
  for (size_t c : counted.text_order) {
    auto at = std::find(kept.begin(), kept.end(), c);
    if (at != kept.end()) out.text_order.push_back(static_cast<size_t>(at - kept.begin()));
  }
  out.weight = static_cast<size_t>(std::find(kept.begin(), kept.end(), evidence) - kept.begin());
  for (size_t r = 0; r < counted.rows(); ++r) {
    std::vector<Cell> row;
    for (size_t c : kept) {
      Cell cell = counted.at(r, c);
      if (c == evidence && cell.kind != CellKind::missing) cell = ran(cell.number != 0);
      if (c != evidence && (cell.kind == CellKind::text || cell.kind == CellKind::list)) cell.text = out.keep(std::string(cell.text));
      row.push_back(cell);
    }
    out.add(row);
  }
  return out;
}

}  // namespace chord::report
