#include "query/sql_guard.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "query/limits.h"

namespace thence::query {
namespace {

// Functions of SQLite and its extensions with effects outside the database.
bool accesses_system(std::string_view function) {
  static constexpr std::array<std::string_view, 8> names = {
      "load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "lsmode", "fsdir", "sqlite_log"};
  return std::find(names.begin(), names.end(), function) != names.end();
}

std::string action_name(int action, const char* second) {
  switch (action) {
    case SQLITE_FUNCTION: return "the function " + std::string(second == nullptr ? "" : second);
    case SQLITE_ATTACH:
    case SQLITE_DETACH: return "ATTACH, which opens other files,";
    case SQLITE_PRAGMA: return "PRAGMA";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT: return "a transaction";
    default: return "what would change the tables";
  }
}

}  // namespace

SqlGuard::SqlGuard(sqlite3* database) : database_(database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, max_row_bytes);
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, max_sql_bytes);
  sqlite3_limit(database, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, max_like_pattern_bytes);
  sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_set_authorizer(database, authorize, this);
}

SqlGuard::~SqlGuard() {
  sqlite3_progress_handler(database_, 0, nullptr, nullptr);
  sqlite3_set_authorizer(database_, nullptr, nullptr);
}

void SqlGuard::set_time_limit(double seconds) {
  constexpr double no_limit_seconds = 1e8;
  if (!(seconds > 0 && seconds < no_limit_seconds)) return;
  deadline_ =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
  constexpr int steps = 2000;  // virtual machine instructions of SQLite, which take well under a millisecond
  sqlite3_progress_handler(database_, steps, check_deadline, this);
}

int SqlGuard::check_deadline(void* self) {
  return std::chrono::steady_clock::now() > static_cast<SqlGuard*>(self)->deadline_ ? 1 : 0;
}

int SqlGuard::authorize(void* self, int action, const char* first, const char* second, const char*,
                        const char*) {
  SqlGuard& guard = *static_cast<SqlGuard*>(self);
  if (action == SQLITE_SELECT || action == SQLITE_RECURSIVE) return SQLITE_OK;
  if (action == SQLITE_READ) {
    const std::string table = first == nullptr ? "" : first;
    guard.tables_read_.insert(table);
    guard.tables_read_.insert(table + "." + (second == nullptr ? "" : second));
    return SQLITE_OK;
  }
  if (action == SQLITE_FUNCTION && second != nullptr && !accesses_system(second)) return SQLITE_OK;
  guard.refused_ = action_name(action, second);
  return SQLITE_DENY;
}

HeapLimit::HeapLimit(std::uint64_t bytes)
    : before_(sqlite3_memory_used()),
      hard_(sqlite3_hard_heap_limit64(-1)),
      soft_(sqlite3_soft_heap_limit64(-1)) {
  sqlite3_hard_heap_limit64(
      before_ + static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, std::uint64_t{1} << 60)));
}

HeapLimit::~HeapLimit() {
  sqlite3_hard_heap_limit64(hard_);
  sqlite3_soft_heap_limit64(soft_);
}

std::uint64_t HeapLimit::used() const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(sqlite3_memory_used() - before_, 0));
}

}  // namespace thence::query
