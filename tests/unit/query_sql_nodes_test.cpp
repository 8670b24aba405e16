// The nodes that SQL results name.
#include "query/sql_nodes.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"
#include "pipeline/pipeline.h"

namespace thence::test {
namespace {

class SqlNodes : public testing::Test {
 protected:
  std::string bytes = model(graph({node("MatMul", {"x"}, {"a"}, "/net/fc/MatMul"),
                                   node("Relu", {"a"}, {"b"}, "/net/act/Relu"), node("Neg", {"b"}, {"c"})}))
                          .bytes();
  Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});

  // The numbers of the nodes, or the code of the error.
  std::string named(const std::string& sql) {
    Result<query::SqlQuery> statement = query::SqlQuery::make(sql, {});
    if (!statement) return statement.error().text + " | " + statement.error().hint.substr(0, 30);
    const Result<query::SqlResult> rows = statement->run(*map);
    if (!rows) return rows.error().code;
    const Result<std::vector<NodeId>> nodes = query::nodes_in(*rows, *statement, map->model());
    if (!nodes) return nodes.error().code;
    std::string text;
    for (const NodeId id : *nodes) text += std::to_string(id);
    return text;
  }
};

TEST_F(SqlNodes, AreReadFromNumbersOrNames) {
  EXPECT_EQ(named("SELECT id FROM nodes ORDER BY id DESC"), "012");
  EXPECT_EQ(named("SELECT name FROM nodes WHERE op_type = 'Relu'"), "1");
  EXPECT_EQ(named("SELECT name, id FROM nodes WHERE op_type = 'Neg'"), "2");
  EXPECT_EQ(named("SELECT target AS node FROM edges"), "12");
  EXPECT_EQ(named("SELECT node FROM \"values\" WHERE name IN ('x', 'a')"), "0");
  EXPECT_EQ(named("SELECT * FROM nodes WHERE role = 'linear_projection' AND component IS NULL"), "0");
  EXPECT_EQ(
      named(
          "SELECT n.id FROM nodes n JOIN module_closure ON n.module = descendant WHERE ancestor = 'net.fc'"),
      "0");
}

TEST_F(SqlNodes, AreNotGuessed) {
  EXPECT_EQ(named("SELECT id FROM modules"), "Q003");
  EXPECT_EQ(named("SELECT name FROM modules"), "Q003");
  EXPECT_EQ(named("SELECT m.id FROM nodes n JOIN modules m ON n.id = m.id"), "Q003");
  EXPECT_EQ(named("SELECT n.id AS node FROM nodes n JOIN modules m ON n.id = m.id"), "012");
  EXPECT_EQ(named("SELECT op_type FROM nodes"), "Q003");
  EXPECT_EQ(named("SELECT 7 AS node"), "Q003");
  EXPECT_EQ(named("SELECT 'x' AS node"), "Q003");
  EXPECT_EQ(named("SELECT name || 'x' AS name FROM nodes"), "Q003");
  EXPECT_EQ(named("SELECT id FROM nodes WHERE id > 9"), "Q002");
}

TEST_F(SqlNodes, MisspeltNamesSuggestWhatIsNear) {
  EXPECT_EQ(named("SELECT nme FROM nodes"), "no such column: nme | the nearest: name, node; table");
  EXPECT_EQ(named("SELECT n.op_typ FROM nodes n"),
            "no such column: n.op_typ | the nearest: op_type; tables: ");
  EXPECT_EQ(named("SELECT 1 FROM node"), "no such table: node | the nearest: nodes; tables: no");
}

}  // namespace
}  // namespace thence::test
