// A listing before it is written: typed cells in named columns. Text, CSV and JSON
// are three renderings of the same table, so they cannot disagree.
//
// Cells refer to strings owned by the program that was analysed or by the table's
// own store; a listing of a quarter of a million instructions copies none of them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace chord::report {

// Numbers that count are grouped in text (1,234); those that name a place are not.
enum class CellKind : uint8_t { missing, number, ordinal, offset, text, share, decimal, flag, list, change, object };

struct Cell {
  CellKind kind = CellKind::missing;
  union {
    uint64_t number = 0;
    double share;  // 0 … 1; of decimals any
    int64_t change;
  };
  std::string_view text;
};

inline Cell number(uint64_t value) {
  Cell cell;
  cell.kind = CellKind::number;
  cell.number = value;
  return cell;
}
// A line or block number.
inline Cell ordinal(uint64_t value) {
  Cell cell = number(value);
  cell.kind = CellKind::ordinal;
  return cell;
}
// Bytes from a function's start: hexadecimal in text, as disassemblers show it.
inline Cell offset(uint64_t value) {
  Cell cell = number(value);
  cell.kind = CellKind::offset;
  return cell;
}
// A difference, with its sign; its size is its weight.
inline Cell change(int64_t value) {
  Cell cell;
  cell.kind = CellKind::change;
  cell.change = value;
  return cell;
}
inline Cell text(std::string_view value) {
  Cell cell;
  cell.kind = CellKind::text;
  cell.text = value;
  return cell;
}
inline Cell share(uint64_t part, uint64_t whole) {
  Cell cell;
  cell.kind = CellKind::share;
  cell.share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  return cell;
}
// A number that is not whole.
inline Cell decimal(double value) {
  Cell cell;
  cell.kind = CellKind::decimal;
  cell.share = value;
  return cell;
}
// One item a line; in JSON an array, in which numbers are numbers; elsewhere between blanks, and in text
// what several have in front of a colon once.
inline Cell list(std::string_view items) {
  Cell cell = text(items);
  cell.kind = CellKind::list;
  return cell;
}
// Names and numbers, one pair a line with a tab between; in JSON an object.
inline Cell object(std::string_view pairs) {
  Cell cell = text(pairs);
  cell.kind = CellKind::object;
  return cell;
}
inline Cell flag(bool value) {
  Cell cell;
  cell.kind = CellKind::flag;
  cell.number = value ? 1 : 0;
  return cell;
}
// Whether something ran at all.
inline Cell ran(bool value) {
  Cell cell = flag(value);
  cell.text = value ? "ran" : "never";
  return cell;
}
// A number that is not known: null, or a question mark.
inline Cell number_if(bool known, uint64_t value) { return known ? number(value) : Cell{}; }

// How the text form shortens what a column holds; CSV and JSON have all of it.
// Symbols are linkage names, shown as the names they stand for; chains are names with > between them.
// Details are given up for names where there is no room for both.
enum class Holds : uint8_t { anything, names, symbols, chains, paths, details };

struct Column {
  std::string key;      // in JSON and CSV
  std::string heading;  // in text; empty: not shown there
  bool left = false;    // left-aligned, as names are
  Holds holds = Holds::anything;
};

class Table {
 public:
  std::string by;  // what a row is: function, line, ...
  std::vector<Column> columns;
  // Columns of the text form, in its order.
  std::vector<size_t> text_order;
  // The column whose greatest values `keep_top` keeps.
  size_t weight = 0;

  // What holds for all rows together, above them in text; JSON has it in fields of its head.
  std::string summary;

  // What the reader must know that no row says; empty if nothing.
  std::string note;

  // One row; as many cells as columns.
  void add(const std::vector<Cell> &row) { cells_.insert(cells_.end(), row.begin(), row.end()); }
  void reserve(size_t rows) { cells_.reserve(rows * columns.size()); }
  size_t rows() const { return columns.empty() ? 0 : cells_.size() / columns.size(); }
  const Cell &at(size_t row, size_t column) const { return cells_[row * columns.size() + column]; }

  // Keeps a string alive as long as the table.
  std::string_view keep(std::string value) { return kept_.emplace_back(std::move(value)); }

  // The n rows of greatest weight, greatest first; all rows if there are fewer.
  void keep_top(size_t n);
  // All rows, greatest weight first; equal ones stay in order.
  void sort_by_weight();

  size_t column(std::string_view key) const;
  static constexpr size_t kNoColumn = SIZE_MAX;
  size_t find_column(std::string_view key) const;

  // Only rows for which keep(row) is true.
  template <class Keep>
  void keep_if(Keep &&keep) {
    std::vector<size_t> order;
    for (size_t row = 0; row < rows(); ++row) {
      if (keep(row)) order.push_back(row);
    }
    arrange(order);
  }

 private:
  void arrange(const std::vector<size_t> &order);

  std::vector<Cell> cells_;
  std::deque<std::string> kept_;
};

// "12,345,678"
std::string group_digits(uint64_t value);
// "1 call", "1,204 calls".
std::string counted(uint64_t n, std::string_view one);

}  // namespace chord::report
