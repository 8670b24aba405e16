// The map as SQLite tables: the output of `thence convert --to sqlite`, and the input of SQL queries.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "semantics/map.h"

struct sqlite3;

namespace thence::query {

/// The tables as SQL. docs/tables.md describes them.
extern const char* const schema;

/// Creates the tables in an open database and fills them, in one transaction. The error contains the message
/// of SQLite.
std::optional<Error> fill_tables(const semantics::Map& map, sqlite3* database);

/// Fills some of the existing tables. `wanted` gets the name of a table, or of a column used in joins, such
/// as "nodes.module".
using WantedTables = std::function<bool(std::string_view name)>;
std::optional<Error> fill_some_tables(const semantics::Map& map, sqlite3* database,
                                      const WantedTables& wanted);

/// The same in a new database file. On failure, no file is left behind.
std::optional<Error> write_database(const semantics::Map& map, const std::string& path);

}  // namespace thence::query
