// The tables in an open database: filled completely, or an error with the message of SQLite.
#include "query/tables.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>

#include "onnx_parts.h"
#include "pipeline/pipeline.h"

namespace thence::test {
namespace {

class Tables : public testing::Test {
 protected:
  Tables() {
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(":memory:", &handle), SQLITE_OK);
    database.reset(handle);
  }

  /// The first column of every row, in one line.
  std::string ask(const char* sql) {
    std::string found;
    sqlite3_exec(
        database.get(), sql,
        [](void* out, int, char** columns, char**) {
          static_cast<std::string*>(out)->append(columns[0] == nullptr ? "NULL" : columns[0]).append(" ");
          return 0;
        },
        &found, nullptr);
    return found;
  }

  std::string bytes = model(graph({node("MatMul", {"x"}, {"a"}, "/net/fc/MatMul"),
                                   node("Relu", {"a"}, {"b"}, "/net/act/Relu"), node("Neg", {}, {"c"})}))
                          .bytes();
  Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});
  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database{nullptr, &sqlite3_close};
};

TEST_F(Tables, AnswerQueries) {
  ASSERT_TRUE(map);
  ASSERT_FALSE(query::fill_tables(*map, database.get()));
  EXPECT_EQ(ask("SELECT module FROM nodes ORDER BY id"), "net.fc net.act NULL ");
  EXPECT_EQ(ask("SELECT nodes.name FROM module_closure JOIN nodes ON module = descendant "
                "WHERE ancestor = 'net' ORDER BY nodes.id"),
            "/net/fc/MatMul /net/act/Relu ");
  EXPECT_EQ(ask("SELECT ancestor FROM module_closure WHERE descendant = 'net.fc' ORDER BY distance DESC"),
            " net net.fc ");
  EXPECT_EQ(ask("SELECT target FROM edges WHERE source = 0"), "1 ");
  EXPECT_EQ(ask("SELECT made_by FROM \"values\" ORDER BY name"), "node node node nothing ");
}

TEST_F(Tables, RejectADatabaseWithTables) {
  ASSERT_TRUE(map);
  ASSERT_FALSE(query::fill_tables(*map, database.get()));
  const std::optional<Error> error = query::fill_tables(*map, database.get());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->text, "cannot write: table metadata already exists");
  EXPECT_EQ(ask("SELECT count(*) FROM nodes"), "3 ");
}

}  // namespace
}  // namespace thence::test
