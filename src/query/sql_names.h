// The names of tables and columns, to correct misspelt ones in SQL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

namespace thence::query {

class SqlNames {
 public:
  SqlNames() = default;
  /// Reads the schema of a database.
  explicit SqlNames(sqlite3* database);

  /// The names nearest to the one that a message of SQLite reports as missing; empty if there is none.
  std::string hint(std::string_view message) const;

 private:
  std::vector<std::string> tables_, columns_;
};

}  // namespace thence::query
