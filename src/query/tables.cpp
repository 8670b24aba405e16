#include "query/tables.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <memory>

#include "base/atomic_file.h"
#include "base/text.h"
#include "query/rows.h"

namespace thence::query {
namespace {

Error refused(const std::string& what) {
  return {ErrorKind::input_output, "F003", what, "check the folder's permissions and free space"};
}

}  // namespace

std::optional<Error> fill_tables(const semantics::Map& map, sqlite3* handle) {
  Database database(handle);
  database.execute("BEGIN");
  database.execute(schema);
  fill_metadata(map, database);
  fill_modules(map, database);
  fill_nodes(map, database);
  fill_initializers(map, database);
  fill_values(map.model(), database);
  fill_edges(map.model(), database);
  fill_evidence(map, database);
  database.execute(indexes);
  database.execute("COMMIT");
  if (database.ok()) return std::nullopt;
  sqlite3_exec(handle, "ROLLBACK", nullptr, nullptr, nullptr);
  return refused("cannot write: " + database.refusal());
}

std::optional<Error> write_database(const semantics::Map& map, const std::string& path) {
  return base::make_atomically(path, [&](const std::string& temporary) -> std::optional<Error> {
    // One thread writes, and nobody asks how much memory that takes: locks would take a quarter of the time.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3* handle = nullptr;
    const int code =
        sqlite3_open_v2(temporary.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> opened(handle, &sqlite3_close);
    std::optional<Error> error;
    if (code != SQLITE_OK) {
      error = refused(fmt::format("cannot write: {}", sqlite3_errstr(code)));
    } else {
      // The file is nobody's until it is renamed: no journal is needed to undo what fails.
      Database(handle).execute(
          "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
          "PRAGMA page_size=16384; PRAGMA cache_size=-16384");
      error = fill_tables(map, handle);
    }
    if (error) error->text = fmt::format("{}: {}", base::printable(path), error->text);
    return error;
  });
}

}  // namespace thence::query
