// The header, graphs, bodies and functions of a Model, merged as protobuf merges.
#include "onnx/model.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::test {
namespace {

TEST(Model, ReadsTheHeader) {
  const ReadModel read(model(graph({}))
                           .number(ModelField::ir_version, 10)
                           .number(ModelField::model_version, ~std::uint64_t{0})
                           .text(ModelField::producer_name, "pytorch")
                           .text(ModelField::producer_version, "2.13.0")
                           .text(ModelField::domain, "org.example")
                           .text(ModelField::doc_string, "words")
                           .inner(ModelField::opset_import, Message().number(OpsetField::version, 20))
                           .inner(ModelField::opset_import, Message().text(OpsetField::domain, "ai.onnx.ml"))
                           .inner(ModelField::metadata_props,
                                  Message().text(EntryField::key, "k").text(EntryField::value, "v")));
  ASSERT_TRUE(read.ok());
  const Model& m = read.model();
  EXPECT_EQ(m.file(), "model.onnx");
  EXPECT_EQ(m.size(), read.bytes.view().size());
  EXPECT_EQ(m.ir_version(), 10);
  EXPECT_EQ(m.model_version(), -1);
  EXPECT_EQ(m.producer_name(), "pytorch");
  EXPECT_EQ(m.producer_version(), "2.13.0");
  EXPECT_EQ(m.domain(), "org.example");
  EXPECT_EQ(m.doc_string(), "words");
  ASSERT_EQ(m.opsets().size(), 2u);
  EXPECT_EQ(m.opsets()[0].version, 20);
  EXPECT_EQ(m.opsets()[1].domain, "ai.onnx.ml");
  ASSERT_EQ(m.metadata().size(), 1u);
  EXPECT_EQ(m.metadata()[0].value, "v");
  EXPECT_EQ(m.node_count(), 0u);
  EXPECT_FALSE(m.has_bodies());
}

TEST(Model, ReadsANode) {
  const ReadModel read(
      model(graph({node("Add", {"a", "", "b"}, {"c", ""}, "sum")
                       .text(NodeField::domain, "my.ops")
                       .text(NodeField::overload, "float")
                       .text(NodeField::doc_string, "adds")
                       .inner(NodeField::metadata_props, Message().text(EntryField::key, "k"))},
                  {"a", "b"})));
  ASSERT_TRUE(read.ok());
  const Node one = read.model().node(0);
  EXPECT_EQ(one.name(), "sum");
  EXPECT_EQ(one.op_type(), "Add");
  EXPECT_EQ(one.domain(), "my.ops");
  EXPECT_EQ(one.overload(), "float");
  EXPECT_EQ(one.doc_string(), "adds");
  EXPECT_EQ(names_of(read.model(), one.inputs()), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(names_of(read.model(), one.outputs()), (std::vector<std::string>{"c", ""}));
  EXPECT_EQ(one.inputs()[1], none);
  ASSERT_EQ(one.metadata().size(), 1u);
  EXPECT_EQ(one.metadata()[0].key, "k");
}

TEST(Model, AnEmptyNodeIsANode) {
  const ReadModel read(model(graph({Message(), Message()})));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.model().node_count(), 2u);
  EXPECT_EQ(read.model().node(1).op_type(), "");
  EXPECT_EQ(read.model().node(1).index(), 1u);
  EXPECT_TRUE(read.model().node(1).inputs().empty());
}

TEST(Model, MergesAGraphThatComesInPieces) {
  Message first = graph({node("A", {}, {"x"})}, {"in"});
  Message second = graph({node("B", {"x"}, {"y"})}, {}, {"y"});
  first.text(GraphField::name, "first");
  second.text(GraphField::name, "second");
  second.inner(GraphField::metadata_props, Message().text(EntryField::key, "k"));
  const ReadModel read(model(first).number(ModelField::ir_version, 9).inner(ModelField::graph, second));
  ASSERT_TRUE(read.ok());
  const Model& m = read.model();
  ASSERT_EQ(m.node_count(), 2u);
  EXPECT_EQ(m.graphs().size(), 1u);
  EXPECT_EQ(m.graphs()[0].name, "second");
  EXPECT_EQ(producer_of(m, 1, 0), "node 0");
  EXPECT_EQ(names_of(m, m.graphs()[0].inputs), std::vector<std::string>{"in"});
  EXPECT_EQ(names_of(m, m.graphs()[0].outputs), std::vector<std::string>{"y"});
  EXPECT_EQ(m.metadata(m.graphs()[0]).size(), 1u);
}

TEST(Model, TheLastOfSeveralStringsWins) {
  Message twice = node("Old", {}, {}, "old");
  twice.text(NodeField::name, "new").text(NodeField::op_type, "New").text(NodeField::domain, "d");
  twice.text(NodeField::domain, "");
  const ReadModel read(model(graph({twice})).text(ModelField::domain, "one").text(ModelField::domain, ""));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.model().node(0).name(), "new");
  EXPECT_EQ(read.model().node(0).op_type(), "New");
  EXPECT_EQ(read.model().node(0).domain(), "");
  EXPECT_EQ(read.model().domain(), "");
}

TEST(Model, AFieldOfAnotherWireTypeIsUnknown) {
  const Message odd = Message()
                          .number(NodeField::input, 1)
                          .fixed32(NodeField::output, 1)
                          .fixed64(NodeField::op_type, 1)
                          .text(NodeField::op_type, "Relu")
                          .number(NodeField::op_type, 7)
                          .text(100, "\xff");
  const ReadModel read(model(graph({odd}).number(GraphField::node, 1).number(GraphField::initializer, 1))
                           .text(ModelField::ir_version, "\xff")
                           .number(ModelField::graph, 1));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.model().node_count(), 1u);
  EXPECT_EQ(read.model().node(0).op_type(), "Relu");
  EXPECT_TRUE(read.model().node(0).inputs().empty());
  EXPECT_TRUE(read.model().node(0).outputs().empty());
  EXPECT_TRUE(read.model().initializers().empty());
  EXPECT_EQ(read.model().ir_version(), 0);
}

TEST(Model, UnknownFieldsMayComeBeforeTheOthers) {
  for (const Message& odd : {Message().text(100, "x"), Message().number(9, 1), Message().fixed64(30, 1)}) {
    const ReadModel read(
        model(graph({Message().raw(odd.bytes()).raw(node("Relu", {"a"}, {"b"}, "n").bytes())})));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read.model().node(0).op_type(), "Relu");
    EXPECT_EQ(read.model().node(0).name(), "n");
    EXPECT_EQ(read.model().node(0).inputs().size(), 1u);
  }
}

// If (then, else) in the main graph, with a Loop inside then; a Switch with a list of graphs; a function.
Message with_bodies() {
  Message if_node = node("If", {}, {}, "if");
  Message loop =
      node("Loop", {}, {}, "loop").inner(NodeField::attribute, body("body", graph({node("C", {}, {})})));
  if_node.inner(NodeField::attribute, body("then_branch", graph({node("B", {}, {}), loop})));
  if_node.inner(NodeField::attribute, body("else_branch", graph({})));
  Message list = Message()
                     .inner(AttributeField::graphs, graph({node("E", {}, {})}))
                     .inner(AttributeField::graphs, graph({}))
                     .inner(AttributeField::graphs, graph({node("F", {}, {})}))
                     .text(AttributeField::name, "cases");
  Message switch_node = node("Switch", {}, {}).inner(NodeField::attribute, list);
  Message inside =
      node("If", {}, {}).inner(NodeField::attribute, body("then_branch", graph({node("H", {}, {})})));
  return model(graph({node("A", {}, {}), if_node, switch_node}))
      .inner(
          ModelField::functions,
          function("f", {node("G", {}, {}), inside}, {}, {}).text(FunctionField::domain, "d").text(13, "o"));
}

TEST(Model, NumbersNodesMainGraphFirstThenBodiesDepthFirstThenFunctions) {
  const ReadModel read(with_bodies());
  ASSERT_TRUE(read.ok());
  const Model& m = read.model();
  std::vector<std::string> rows;
  for (NodeId id = 0; id < m.node_count(); ++id)
    rows.push_back(m.graph_label(m.node(id).graph()) + "#" + std::to_string(m.node(id).index()) + " " +
                   std::string(m.node(id).op_type()));
  EXPECT_EQ(rows, (std::vector<std::string>{"#0 A", "#1 If", "#2 Switch", "1.then_branch#0 B",
                                            "1.then_branch#1 Loop", "1.then_branch/1.body#0 C",
                                            "2.cases[0]#0 E", "2.cases[2]#0 F", "function:d:f:o#0 G",
                                            "function:d:f:o#1 If", "function:d:f:o/1.then_branch#0 H"}));
  EXPECT_TRUE(m.has_bodies());
}

TEST(Model, KnowsTheParentOfEachBody) {
  const ReadModel read(with_bodies());
  ASSERT_TRUE(read.ok());
  const Model& m = read.model();
  ASSERT_EQ(m.graphs().size(), 9u);
  for (GraphId id = 0; id < m.graphs().size(); ++id) {
    const Graph& g = m.graphs()[id];
    for (NodeId n = g.first_node; n < g.first_node + g.node_count; ++n) EXPECT_EQ(m.node(n).graph(), id);
    if (g.kind != Graph::Kind::body) {
      EXPECT_EQ(g.owner, none);
      continue;
    }
    EXPECT_EQ(m.node(g.owner).graph(), g.parent);
  }
  EXPECT_EQ(m.graphs()[3].node_count, 0u) << "else_branch is empty, and still there";
  EXPECT_EQ(m.graph_label(3), "1.else_branch");
}

TEST(Model, EmptyGraphsDoNotShiftNodes) {
  Message many = node("Switch", {}, {});
  for (const char* name : {"a", "b", "c"}) many.inner(NodeField::attribute, body(name, graph({})));
  many.inner(NodeField::attribute, body("d", graph({node("X", {}, {})})));
  many.inner(NodeField::attribute, body("e", graph({})));
  const ReadModel read(model(graph({many})).inner(ModelField::functions, function("f", {}, {}, {})));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.model().node_count(), 2u);
  EXPECT_EQ(read.model().graph_label(read.model().node(1).graph()), "0.d");
}

TEST(Model, MergesABodyThatComesInPieces) {
  Message split = Message()
                      .inner(AttributeField::g, graph({node("B", {}, {"x"})}))
                      .text(AttributeField::name, "body")
                      .inner(AttributeField::g, graph({node("C", {"x"}, {})}));
  const ReadModel read(model(graph({node("Loop", {}, {}).inner(NodeField::attribute, split)})));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.model().graphs().size(), 2u);
  EXPECT_EQ(read.model().node_count(), 3u);
  EXPECT_EQ(producer_of(read.model(), 2, 0), "node 1");
}

TEST(Model, KeepsNamesThatAreNotUtf8) {
  const ReadModel read(model(graph({node("A\xff", {}, {"x\x80"}, "n\xc0")})));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.model().node(0).op_type(), "A\xff");
  EXPECT_EQ(read.model().node(0).name(), "n\xc0");
  EXPECT_EQ(read.model().value_name(read.model().node(0).outputs()[0]), "x\x80");
}

}  // namespace
}  // namespace thence::test
