// The Map as SQLite tables: what `thence convert --to sqlite` writes, and what SQL can ask.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "semantics/map.h"

struct sqlite3;

namespace thence::query {

/// The tables as SQL; docs/tables.md describes them.
extern const char* const schema;

/// Makes the tables in an open database and fills them, in one transaction. An error tells SQLite's words.
std::optional<Error> fill_tables(const semantics::Map& map, sqlite3* database);

/// Fills some of the tables, which are there already. They are asked for by name, and the columns by which
/// they are joined as "nodes.module".
using WantedTables = std::function<bool(std::string_view name)>;
std::optional<Error> fill_some_tables(const semantics::Map& map, sqlite3* database,
                                      const WantedTables& wanted);

/// The same in a database file of its own, which is there whole or not at all.
std::optional<Error> write_database(const semantics::Map& map, const std::string& path);

}  // namespace thence::query
