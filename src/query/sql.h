// Read-only SQL over the tables, in memory, with limits on time and memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "semantics/map.h"

namespace thence::query {

struct SqlLimits {
  double seconds = 60;                           // for the answer, without filling the tables; 0: unlimited
  std::uint64_t bytes = std::uint64_t{2} << 30;  // for tables and answer
  std::function<void()> on_start = {};           // called when the time begins
};

using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

struct SqlResult {
  std::vector<std::string> columns;  // unique names
  std::vector<std::vector<SqlValue>> rows;
};

/// One statement. The memory limit applies to the process, so only one statement may run at a time.
class SqlQuery {
 public:
  /// Returns a usage error if the SQL is invalid. Checking the SQL requires no model.
  static Result<SqlQuery> make(const std::string& sql, const SqlLimits& limits);
  SqlQuery(SqlQuery&&) noexcept;
  ~SqlQuery();

  /// Fills the tables that the statement reads, and runs it. May be called only once.
  Result<SqlResult> run(const semantics::Map& map);
  /// Whether the statement reads a column, such as "nodes.id".
  bool reads(std::string_view column) const;

 private:
  class Impl;
  explicit SqlQuery(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Makes SQLite faster in programs that use it from only one thread. Call it before the first use.
void use_sqlite_on_one_thread();

}  // namespace thence::query
