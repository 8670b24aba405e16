#include "query/sql.h"

#include <sqlite3.h>

#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/format.h"
#include "base/text.h"
#include "base/utf8.h"
#include "query/limits.h"
#include "query/sql_guard.h"
#include "query/sql_names.h"
#include "query/statement.h"
#include "query/tables.h"

namespace thence::query {
namespace {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, Close>;

std::mutex& sqlite_mutex() {
  static std::mutex mutex;
  return mutex;
}

Error sql_error(std::string text, std::string hint = {}) {
  if (!hint.empty()) hint += "; ";
  return {ErrorKind::usage, "Q003", std::move(text),
          hint +
              "tables: nodes, modules, module_closure, initializers, \"values\", edges, evidence, metadata; "
              "SELECT "
              "sql FROM sqlite_schema shows their columns"};
}

Error limit_error(std::string text, std::string hint) {
  return {ErrorKind::bad_input, "Q005", std::move(text), std::move(hint)};
}

SqlValue value_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
    case SQLITE_NULL: return std::monostate{};
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
      constexpr std::string_view digits = "0123456789abcdef";
      std::string text;
      for (int i = 0; i < sqlite3_column_bytes(statement, column); ++i) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
      }
      return text;
    }
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      if (text == nullptr) return std::string();
      const std::string_view bytes(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
      // SQL can produce any bytes.
      return base::is_utf8(bytes) ? std::string(bytes) : base::escape_invalid_utf8(bytes);
    }
  }
}

// The names of columns. A repeated name gets a number.
std::vector<std::string> columns_of(sqlite3_stmt* statement) {
  std::vector<std::string> names;
  std::unordered_map<std::string, int> name_counts;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char* const column_name = sqlite3_column_name(statement, i);
    std::string name(column_name == nullptr ? "" : column_name);
    while (name_counts[name]++ > 0) name += base::format(":{}", name_counts[name] - 1);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

class SqlQuery::Impl {
 public:
  Impl(std::string sql, const SqlLimits& limits)
      : lock_(sqlite_mutex()), sql_(std::move(sql)), limits_(limits), heap_(limits.bytes) {}

  std::optional<Error> open() {
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(
        ":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(handle);
    if (code != SQLITE_OK) return too_much_memory();
    Database database(handle);
    database.execute(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
        "PRAGMA page_size=16384; PRAGMA temp_store=MEMORY");
    database.execute(schema);
    // The first use of a table-valued function declares its table, which the guard would treat as a change.
    database.execute("SELECT * FROM json_each('[]'); SELECT * FROM json_tree('[]')");
    if (!database.ok()) return too_much_memory();
    names_ = SqlNames(handle);
    const SqlGuard guard(handle);
    const Result<Prepared> statement = prepare(guard);
    if (!statement) return statement.error();
    tables_read_ = guard.tables_read();
    return std::nullopt;
  }

  bool reads(std::string_view column) const { return tables_read_.contains(column); }

  Result<SqlResult> run(const semantics::Map& map) {
    Database(database_.get()).execute("BEGIN");
    if (fill_some_tables(map, database_.get(),
                         [&](std::string_view name) { return tables_read_.contains(name); }))
      return memory_error(sqlite3_errcode(database_.get()));
    Database(database_.get()).execute("COMMIT");
    SqlGuard guard(database_.get());
    const Result<Prepared> statement = prepare(guard);
    if (!statement) return statement.error();
    guard.set_time_limit(limits_.seconds);
    if (limits_.on_start) limits_.on_start();
    return read_rows(statement->get(), guard);
  }

 private:
  Result<Prepared> prepare(const SqlGuard& guard) const {
    if (sql_.find('\0') != std::string::npos) return sql_error("there is a character 0 in the SQL");
    const char* rest = nullptr;
    Result<Prepared> first = prepare(sql_.data(), guard, &rest);
    if (!first) return first;
    if (*first == nullptr) return sql_error("there is no SQL");
    const Result<Prepared> second = prepare(rest, guard, &rest);
    if (!second) return second.error();
    if (*second != nullptr) return sql_error("there is more than one statement");
    if (sqlite3_stmt_readonly(first->get()) == 0 || sqlite3_column_count(first->get()) == 0)
      return not_allowed("what is no SELECT");
    return first;
  }

  Result<Prepared> prepare(const char* sql, const SqlGuard& guard, const char** rest) const {
    sqlite3_stmt* statement = nullptr;
    const auto length = static_cast<int>(sql_.data() + sql_.size() - sql);
    const int code = sqlite3_prepare_v2(database_.get(), sql, length, &statement, rest);
    Prepared prepared(statement);
    if (code == SQLITE_NOMEM) return too_much_memory();
    if (code != SQLITE_OK && !guard.refused().empty()) return not_allowed(guard.refused());
    if (code != SQLITE_OK) {
      const std::string message = sqlite3_errmsg(database_.get());
      return sql_error(base::printable(message), names_.hint(message));
    }
    return prepared;
  }

  Result<SqlResult> read_rows(sqlite3_stmt* statement, const SqlGuard& guard) const {
    SqlResult answer;
    answer.columns = columns_of(statement);
    std::uint64_t result_bytes = 0;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      std::vector<SqlValue>& row = answer.rows.emplace_back();
      row.reserve(answer.columns.size());
      result_bytes += sizeof row + answer.columns.size() * sizeof(SqlValue);
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        row.push_back(value_of(statement, i));
        if (const auto* text = std::get_if<std::string>(&row.back())) result_bytes += text->size();
      }
      if (result_bytes + heap_.used() > limits_.bytes) return too_much_memory();
    }
    if (code == SQLITE_DONE) return answer;
    if (code == SQLITE_INTERRUPT)
      return limit_error(base::format("SQL took longer than {:g} s", limits_.seconds),
                         "ask for less, or give a longer --timeout");
    if (code == SQLITE_NOMEM || code == SQLITE_TOOBIG) return memory_error(code);
    if (!guard.refused().empty()) return not_allowed(guard.refused());
    return sql_error(base::printable(sqlite3_errmsg(database_.get())));
  }

  static Error not_allowed(const std::string& what) {
    return {ErrorKind::usage, "Q004", base::format("SQL may only read the tables: {} is not allowed", what),
            "'thence convert --to sqlite' writes them to a file"};
  }

  Error memory_error(int code) const {
    if (code != SQLITE_TOOBIG) return too_much_memory();
    return limit_error(base::format("a row is longer than {} MB", max_row_bytes >> 20),
                       "ask for shorter ones: substr(), LIMIT, or leave columns out");
  }

  Error too_much_memory() const {
    return limit_error(base::format("the tables and the answer take more than {} MB", limits_.bytes >> 20),
                       "ask for less, or give more --memory");
  }

  std::unique_lock<std::mutex> lock_;
  std::string sql_;
  SqlLimits limits_;
  HeapLimit heap_;
  std::unique_ptr<sqlite3, Close> database_;
  SqlNames names_;
  std::set<std::string, std::less<>> tables_read_;
};

SqlQuery::SqlQuery(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SqlQuery::SqlQuery(SqlQuery&&) noexcept = default;
SqlQuery::~SqlQuery() = default;

Result<SqlQuery> SqlQuery::make(const std::string& sql, const SqlLimits& limits) {
  auto impl = std::make_unique<Impl>(sql, limits);
  if (std::optional<Error> error = impl->open()) return *error;
  return SqlQuery(std::move(impl));
}

Result<SqlResult> SqlQuery::run(const semantics::Map& map) { return impl_->run(map); }

bool SqlQuery::reads(std::string_view column) const { return impl_->reads(column); }

void use_sqlite_on_one_thread() { sqlite3_config(SQLITE_CONFIG_SINGLETHREAD); }

}  // namespace thence::query
