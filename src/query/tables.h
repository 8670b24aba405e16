// The Map as SQLite tables: what `thence convert --to sqlite` writes, and what SQL can ask.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "semantics/map.h"

struct sqlite3;

namespace thence::query {

/// The tables, and what makes asking them quick, as SQL; docs/commands/convert.md describes them.
extern const char* const schema;
extern const char* const indexes;

/// Makes the tables in an open database and fills them, in one transaction. An error tells SQLite's words.
std::optional<Error> fill_tables(const semantics::Map& map, sqlite3* database);

/// The same in a database file of its own, which is there whole or not at all.
std::optional<Error> write_database(const semantics::Map& map, const std::string& path);

}  // namespace thence::query
