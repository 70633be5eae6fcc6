#include "exports/tables/database.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include "base/diagnostics.h"

namespace chord::exports {
namespace {

void check(sqlite3 *handle, int result, int expected) {
  if (result != expected) throw base::Error(fmt::format("sqlite: {}", sqlite3_errmsg(handle)));
}

}  // namespace

Database::Database() { check(handle_, sqlite3_open(":memory:", &handle_), SQLITE_OK); }

Database::~Database() { sqlite3_close(handle_); }

void Database::run(const char *sql) { check(handle_, sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr), SQLITE_OK); }

std::string Database::bytes() {
  sqlite3_int64 size = 0;
  unsigned char *data = sqlite3_serialize(handle_, "main", &size, 0);
  if (data == nullptr) throw base::Error("sqlite: not enough memory for the database");
  std::string out(reinterpret_cast<char *>(data), static_cast<size_t>(size));
  sqlite3_free(data);
  return out;
}

Insert::Insert(Database &database, const char *table, int columns) : database_(database) {
  std::string sql = fmt::format("INSERT INTO {} VALUES (?", table);
  for (int i = 1; i < columns; ++i) sql += ",?";
  sql += ")";
  check(database.handle(), sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement_, nullptr), SQLITE_OK);
}

Insert::~Insert() { sqlite3_finalize(statement_); }

void Insert::bind(int at, uint64_t value) {
  if (value > INT64_MAX) throw base::Error(fmt::format("sqlite: {} does not fit an integer of the database", value));
  check(database_.handle(), sqlite3_bind_int64(statement_, at, static_cast<sqlite3_int64>(value)), SQLITE_OK);
}

void Insert::bind(int at, std::string_view value) {
  check(database_.handle(), sqlite3_bind_text(statement_, at, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT), SQLITE_OK);
}

void Insert::bind(int at, Null) { check(database_.handle(), sqlite3_bind_null(statement_, at), SQLITE_OK); }

void Insert::step() {
  check(database_.handle(), sqlite3_step(statement_), SQLITE_DONE);
  check(database_.handle(), sqlite3_reset(statement_), SQLITE_OK);
}

}  // namespace chord::exports
