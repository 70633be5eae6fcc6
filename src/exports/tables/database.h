// A SQLite database in memory, and statements that are filled in and run row by row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace chord::exports {

class Database {
 public:
  Database();
  ~Database();
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;

  void run(const char *sql);
  // The file's bytes.
  std::string bytes();
  sqlite3 *handle() const { return handle_; }

 private:
  sqlite3 *handle_ = nullptr;
};

// `Insert(db, "lines", 5)`, then row(a, b, c, d, e) for each.
class Insert {
 public:
  Insert(Database &database, const char *table, int columns);
  ~Insert();
  Insert(const Insert &) = delete;
  Insert &operator=(const Insert &) = delete;

  struct Null {};

  template <class... Values>
  void row(const Values &...values) {
    int at = 0;
    (bind(++at, values), ...);
    step();
  }

 private:
  // Counts above 2^63 - 1 do not fit SQLite's integers: Error.
  void bind(int at, uint64_t value);
  void bind(int at, uint32_t value) { bind(at, static_cast<uint64_t>(value)); }
  void bind(int at, bool value) { bind(at, static_cast<uint64_t>(value ? 1 : 0)); }
  void bind(int at, std::string_view value);
  void bind(int at, const std::string &value) { bind(at, std::string_view(value)); }
  void bind(int at, Null);
  template <class Value>
  void bind(int at, const std::optional<Value> &value) {
    value ? bind(at, *value) : bind(at, Null{});
  }
  void step();

  Database &database_;
  sqlite3_stmt *statement_ = nullptr;
};

}  // namespace chord::exports
