#include "query/sql_names.h"

#include <sqlite3.h>

#include <set>

#include "base/nearest_names.h"

namespace thence::query {
namespace {

int add_name(void* names, int, char** values, char**) {
  if (values[0] != nullptr) static_cast<std::set<std::string>*>(names)->insert(values[0]);
  return 0;
}

std::vector<std::string> read_names(sqlite3* database, const char* sql) {
  std::set<std::string> names;
  sqlite3_exec(database, sql, add_name, &names, nullptr);
  return {names.begin(), names.end()};
}

}  // namespace

SqlNames::SqlNames(sqlite3* database)
    : tables_(read_names(database, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")),
      columns_(
          read_names(database,
                     "SELECT DISTINCT info.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS info "
                     "WHERE t.type IN ('table', 'view')")) {}

std::string SqlNames::hint(std::string_view message) const {
  constexpr std::string_view no_column = "no such column: ", no_table = "no such table: ";
  const bool is_column = message.starts_with(no_column);
  if (!is_column && !message.starts_with(no_table)) return {};
  std::string_view name = message.substr(is_column ? no_column.size() : no_table.size());
  if (is_column) name.remove_prefix(name.rfind('.') + 1);  // the table; npos + 1 is 0
  base::NearestNames nearest(name);
  for (const std::string& one : is_column ? columns_ : tables_) nearest.add(one);
  std::string text;
  for (const std::string& one : nearest.names()) text += (text.empty() ? "the nearest: " : ", ") + one;
  return text;
}

}  // namespace thence::query
