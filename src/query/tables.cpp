#include "query/tables.h"

#include <sqlite3.h>

#include <memory>

#include "base/atomic_file.h"
#include "base/format.h"
#include "base/text.h"
#include "query/rows.h"

namespace thence::query {
namespace {

Error write_error(const std::string& what) {
  return {ErrorKind::input_output, "F003", what, "check the folder's permissions and free space"};
}

// Paths need not be unique: bytes that are not UTF-8 are escaped, which can make two paths equal.
struct Table {
  std::string_view name;
  void (*fill)(const semantics::Map& map, Database& database);
  std::string_view key = {};    // the column that joins refer to
  const char* index = nullptr;  // on that column
};
constexpr Table tables[] = {
    {"metadata", fill_metadata},
    {"modules", fill_modules, "modules.path", "CREATE INDEX modules_by_path ON modules(path)"},
    {"nodes", fill_nodes, "nodes.module", "CREATE INDEX nodes_by_module ON nodes(module)"},
    {"initializers", fill_initializers},
    {"values", [](const semantics::Map& map, Database& database) { fill_values(map.model(), database); }},
    {"edges", [](const semantics::Map& map, Database& database) { fill_edges(map.model(), database); },
     "edges.source", "CREATE INDEX edges_by_source ON edges(source)"},
    {"evidence", fill_evidence, "evidence.node", "CREATE INDEX evidence_by_node ON evidence(node)"},
};

}  // namespace

std::optional<Error> fill_some_tables(const semantics::Map& map, sqlite3* handle,
                                      const WantedTables& wanted) {
  Database database(handle);
  for (const Table& table : tables) {
    if (!wanted(table.name)) continue;
    table.fill(map, database);
    // Faster than before inserting.
    if (table.index != nullptr && wanted(table.key)) database.execute(table.index);
  }
  if (database.ok()) return std::nullopt;
  return write_error("cannot write: " + database.error());
}

std::optional<Error> fill_tables(const semantics::Map& map, sqlite3* handle) {
  Database database(handle);
  database.execute("BEGIN");
  database.execute(schema);
  std::optional<Error> error;
  if (database.ok()) error = fill_some_tables(map, handle, [](std::string_view) { return true; });
  if (!error) database.execute("COMMIT");
  if (!database.ok()) error = write_error("cannot write: " + database.error());
  if (error) sqlite3_exec(handle, "ROLLBACK", nullptr, nullptr, nullptr);
  return error;
}

std::optional<Error> write_database(const semantics::Map& map, const std::string& path) {
  return base::make_atomically(path, [&](const std::string& temporary) -> std::optional<Error> {
    // Only one thread writes, and memory statistics are not used. Their locks would take a quarter of the
    // time.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3* handle = nullptr;
    const int code =
        sqlite3_open_v2(temporary.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> opened(handle, &sqlite3_close);
    std::optional<Error> error;
    if (code != SQLITE_OK) {
      error = write_error(base::format("cannot write: {}", sqlite3_errstr(code)));
    } else {
      // The file is temporary until it is renamed, so a failure needs no journal for rollback.
      Database(handle).execute(
          "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
          "PRAGMA page_size=16384; PRAGMA cache_size=-16384");
      error = fill_tables(map, handle);
    }
    if (error) error->text = base::format("{}: {}", base::printable(path), error->text);
    return error;
  });
}

}  // namespace thence::query
