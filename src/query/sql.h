// SQL over the tables, in memory: it reads, and nothing else, within limits of time and memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "semantics/map.h"

namespace thence::query {

struct SqlLimits {
  double seconds = 60;                           // for the answer, once the tables are there; 0: any
  std::uint64_t bytes = std::uint64_t{2} << 30;  // of tables and answer
};

using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

struct SqlAnswer {
  std::vector<std::string> columns;  // no two alike
  std::vector<std::vector<SqlValue>> rows;
};

/// One statement. The limit of memory is the process's: one is asked at a time.
class SqlQuestion {
 public:
  /// An error of usage is about the SQL; no model is needed to find it.
  static Result<SqlQuestion> make(const std::string& sql, const SqlLimits& limits);
  SqlQuestion(SqlQuestion&&) noexcept;
  ~SqlQuestion();

  /// Fills the tables that it reads, and answers. To be called once.
  Result<SqlAnswer> ask(const semantics::Map& map);

 private:
  class Inside;
  explicit SqlQuestion(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

/// For programs in which one thread alone uses SQLite: before the first use, as it is faster so.
void use_sqlite_on_one_thread();

}  // namespace thence::query
