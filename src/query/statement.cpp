#include "query/statement.h"

#include <sqlite3.h>

#include <limits>

#include "base/utf8.h"

namespace thence::query {

void Database::check(bool done) {
  if (!done && ok()) error_ = sqlite3_errmsg(handle_);
}

void Database::execute(const char* sql) {
  if (ok()) check(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  if (!database.ok()) return;
  database.check(sqlite3_prepare_v2(database.handle_, sql.c_str(), -1, &statement_, nullptr) == SQLITE_OK);
  bound_.resize(static_cast<std::size_t>(sqlite3_bind_parameter_count(statement_)));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

int Statement::next_parameter() {
  bound_[next_].kind = BoundValue::Kind::other;
  return static_cast<int>(++next_);
}

void Statement::bind_text(std::string_view text) {
  BoundValue& bound = bound_[next_];
  if (bound.kind == BoundValue::Kind::text && bound.text.data() == text.data() &&
      bound.text.size() == text.size()) {
    ++next_;
    return;
  }
  database_.check(sqlite3_bind_text64(statement_, next_parameter(), text.data(), text.size(), SQLITE_STATIC,
                                      SQLITE_UTF8) == SQLITE_OK);
  bound = {BoundValue::Kind::text, text};
}

void Statement::bind_text_copy(const std::string& text) {
  database_.check(sqlite3_bind_text64(statement_, next_parameter(), text.data(), text.size(),
                                      SQLITE_TRANSIENT, SQLITE_UTF8) == SQLITE_OK);
}

void Statement::text(std::string_view value) {
  if (!database_.ok()) return;
  if (value.empty())
    bind_text("");  // a null data pointer would mean NULL
  else if (value.find('\0') == std::string_view::npos && base::is_utf8(value))
    bind_text(value);
  else
    bind_text_copy(base::escape_invalid_utf8(value));
}

void Statement::text(std::string&& value) {
  if (database_.ok()) bind_text_copy(base::is_utf8(value) ? value : base::escape_invalid_utf8(value));
}

void Statement::text_or_null(std::string_view value) {
  if (value.empty())
    null();
  else
    text(value);
}

void Statement::number(std::int64_t value) {
  if (database_.ok()) database_.check(sqlite3_bind_int64(statement_, next_parameter(), value) == SQLITE_OK);
}

void Statement::count(const std::optional<std::uint64_t>& value) {
  if (value && *value <= std::numeric_limits<std::int64_t>::max())
    number(static_cast<std::int64_t>(*value));
  else
    null();
}

void Statement::real(double value) {
  if (database_.ok()) database_.check(sqlite3_bind_double(statement_, next_parameter(), value) == SQLITE_OK);
}

void Statement::null() {
  if (!database_.ok()) return;
  BoundValue& bound = bound_[next_];
  if (bound.kind == BoundValue::Kind::null) {
    ++next_;
    return;
  }
  database_.check(sqlite3_bind_null(statement_, next_parameter()) == SQLITE_OK);
  bound.kind = BoundValue::Kind::null;
}

void Statement::insert_row() {
  if (!database_.ok()) return;
  database_.check(sqlite3_step(statement_) == SQLITE_DONE);
  sqlite3_reset(statement_);
  next_ = 0;
}

Statement insert_into(Database& database, const std::string& table, std::size_t columns) {
  std::string sql = "INSERT INTO " + table + " VALUES(?";
  for (std::size_t i = 1; i < columns; ++i) sql += ",?";
  return Statement(database, sql + ")");
}

}  // namespace thence::query
