// SQL in memory: its results, what it must not do, and its limits.
#include "query/sql.h"

#include <gtest/gtest.h>

#include <cmath>

#include "onnx_parts.h"
#include "pipeline/pipeline.h"

namespace thence::test {
namespace {

class Sql : public testing::Test {
 protected:
  std::string bytes = model(graph({node("MatMul", {"x"}, {"a"}, "/net/fc/MatMul"),
                                   node("Relu", {"a"}, {"b"}, "/net/act/Relu")}))
                          .bytes();
  Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});

  Result<query::SqlResult> ask(const std::string& sql, const query::SqlLimits& limits = {}) {
    Result<query::SqlQuery> statement = query::SqlQuery::make(sql, limits);
    if (!statement) return statement.error();
    return statement->run(*map);
  }
  std::string code(const std::string& sql, const query::SqlLimits& limits = {}) {
    const Result<query::SqlResult> answer = ask(sql, limits);
    return answer ? "" : answer.error().code;
  }
};

TEST_F(Sql, ReturnsRows) {
  const Result<query::SqlResult> answer =
      ask("SELECT name, id, 1.5 AS x, NULL, x'ff', id FROM nodes ORDER BY id; -- and no more");
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->columns, (std::vector<std::string>{"name", "id", "x", "NULL", "x'ff'", "id:1"}));
  ASSERT_EQ(answer->rows.size(), 2u);
  EXPECT_EQ(std::get<std::string>(answer->rows[0][0]), "/net/fc/MatMul");
  EXPECT_EQ(std::get<std::int64_t>(answer->rows[1][1]), 1);
  EXPECT_EQ(std::get<double>(answer->rows[0][2]), 1.5);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(answer->rows[0][3]));
  EXPECT_EQ(std::get<std::string>(answer->rows[0][4]), "ff");
}

TEST_F(Sql, FillsEveryTableThatIsRead) {
  for (const char* sql :
       {"SELECT 1 FROM module_closure", "SELECT 1 FROM modules",
        "SELECT count(*) FROM edges HAVING count(*) > 0", "SELECT 1 FROM \"values\"",
        "SELECT 1 FROM evidence", "SELECT 1 FROM metadata", "SELECT 1 FROM nodes, json_each(nodes.modules)",
        "SELECT sql FROM sqlite_schema",
        "WITH t AS (SELECT * FROM nodes) SELECT * FROM t WHERE id IN (SELECT target FROM edges)"}) {
    const Result<query::SqlResult> answer = ask(sql);
    ASSERT_TRUE(answer) << sql << ": " << answer.error().text;
    EXPECT_FALSE(answer->rows.empty()) << sql;
  }
}

TEST_F(Sql, OnlyReads) {
  for (const char* sql : {"DELETE FROM nodes",
                          "INSERT INTO metadata VALUES('a', 1)",
                          "UPDATE nodes SET name = ''",
                          "DROP TABLE nodes",
                          "CREATE TABLE t(x)",
                          "CREATE TEMP TABLE t(x)",
                          "CREATE VIEW v AS SELECT 1",
                          "ATTACH 'x.db' AS x",
                          "VACUUM",
                          "VACUUM INTO 'x.db'",
                          "PRAGMA user_version = 1",
                          "PRAGMA table_info(nodes)",
                          "BEGIN",
                          "REINDEX",
                          "ANALYZE",
                          "SELECT load_extension('x')",
                          "SELECT * FROM pragma_table_info('nodes')",
                          "CREATE VIRTUAL TABLE t USING fts5(x)",
                          "REPLACE INTO metadata VALUES('a', 1)",
                          "ALTER TABLE nodes RENAME TO n"})
    EXPECT_EQ(code(sql), "Q004") << sql;
}

TEST_F(Sql, RejectsInvalidSql) {
  for (const char* sql : {"", "  -- nothing", ";", "SELEC 1", "SELECT * FROM tables", "SELECT nme FROM nodes",
                          "SELECT 1; SELECT 2", "SELECT readfile('/etc/passwd')", "SELECT"})
    EXPECT_EQ(code(sql), "Q003") << sql;
}

TEST_F(Sql, ReturnsValidUtf8) {
  const Result<query::SqlResult> answer = ask("SELECT CAST(x'61ff00' AS TEXT), x'0aff'");
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(std::get<std::string>(answer->rows[0][0]), "a\\xff\\x00");
  EXPECT_EQ(std::get<std::string>(answer->rows[0][1]), "0aff");
}

TEST_F(Sql, RejectsZeroBytes) { EXPECT_EQ(code(std::string("SELECT 1\0; DELETE FROM nodes", 28)), "Q003"); }

TEST_F(Sql, EnforcesLimits) {
  constexpr const char* endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) ";
  EXPECT_EQ(code(endless + std::string("SELECT count(*) FROM t"), {.seconds = 0.05}), "Q005");
  EXPECT_EQ(code(endless + std::string("SELECT x FROM t"), {.bytes = 8 << 20}), "Q005");
  EXPECT_EQ(code(endless + std::string("SELECT DISTINCT hex(x) FROM t ORDER BY 1"), {.bytes = 8 << 20}),
            "Q005");
  EXPECT_EQ(code("SELECT zeroblob(1000000000)"), "Q005");
  EXPECT_EQ(code("SELECT hex(randomblob(60000000))", {.bytes = 8 << 20}), "Q005");
  EXPECT_EQ(code("SELECT count(*) FROM nodes", {.bytes = 16 << 20}),
            "");  // the limits end with their question
  EXPECT_EQ(code("SELECT 1", {.seconds = 1e300}), "");
  EXPECT_EQ(code("SELECT 1", {.seconds = std::nan("")}), "");
}

}  // namespace
}  // namespace thence::test
