#include "query/statement.h"

#include <sqlite3.h>

#include <limits>

#include "base/utf8.h"

namespace thence::query {

void Database::check(bool done) {
  if (!done && ok()) refusal_ = sqlite3_errmsg(handle_);
}

void Database::execute(const char* sql) {
  if (ok()) check(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  if (!database.ok()) return;
  database.check(sqlite3_prepare_v2(database.handle_, sql.c_str(), -1, &statement_, nullptr) == SQLITE_OK);
  held_.resize(static_cast<std::size_t>(sqlite3_bind_parameter_count(statement_)));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

int Statement::another() {
  held_[next_].kind = Held::Kind::other;
  return static_cast<int>(++next_);
}

void Statement::hold(std::string_view text) {
  Held& held = held_[next_];
  if (held.kind == Held::Kind::text && held.text.data() == text.data() && held.text.size() == text.size()) {
    ++next_;
    return;
  }
  database_.check(sqlite3_bind_text64(statement_, another(), text.data(), text.size(), SQLITE_STATIC,
                                      SQLITE_UTF8) == SQLITE_OK);
  held = {Held::Kind::text, text};
}

void Statement::hold_copy(const std::string& text) {
  database_.check(sqlite3_bind_text64(statement_, another(), text.data(), text.size(), SQLITE_TRANSIENT,
                                      SQLITE_UTF8) == SQLITE_OK);
}

void Statement::text(std::string_view value) {
  if (!database_.ok()) return;
  if (value.empty())
    hold("");  // a null data pointer would mean NULL
  else if (value.find('\0') == std::string_view::npos && base::is_utf8(value))
    hold(value);
  else
    hold_copy(base::escape_invalid_utf8(value));
}

void Statement::text(std::string&& value) {
  if (database_.ok()) hold_copy(base::is_utf8(value) ? value : base::escape_invalid_utf8(value));
}

void Statement::text_or_null(std::string_view value) {
  if (value.empty())
    null();
  else
    text(value);
}

void Statement::number(std::int64_t value) {
  if (database_.ok()) database_.check(sqlite3_bind_int64(statement_, another(), value) == SQLITE_OK);
}

void Statement::count(const std::optional<std::uint64_t>& value) {
  if (value && *value <= std::numeric_limits<std::int64_t>::max())
    number(static_cast<std::int64_t>(*value));
  else
    null();
}

void Statement::real(double value) {
  if (database_.ok()) database_.check(sqlite3_bind_double(statement_, another(), value) == SQLITE_OK);
}

void Statement::null() {
  if (!database_.ok()) return;
  Held& held = held_[next_];
  if (held.kind == Held::Kind::null) {
    ++next_;
    return;
  }
  database_.check(sqlite3_bind_null(statement_, another()) == SQLITE_OK);
  held.kind = Held::Kind::null;
}

void Statement::done() {
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
