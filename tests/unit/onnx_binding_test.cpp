// Every input is bound to its producer: node, initializer or graph input, through bodies and functions.
#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::test {
namespace {

TEST(Binding, BindsInputsToNodesInitializersAndGraphInputs) {
  const ReadModel read(
      model(graph({node("A", {"in", "w"}, {"x"}), node("B", {"x", "", "w"}, {"y"})}, {"in"}, {"y"})
                .inner(GraphField::initializer, tensor("v"))
                .inner(GraphField::initializer, tensor("w"))));
  ASSERT_TRUE(read.ok());
  const Model& m = read.model();
  EXPECT_EQ(producer_of(m, 0, 0), "graph input");
  EXPECT_EQ(producer_of(m, 0, 1), "initializer 1");
  EXPECT_EQ(producer_of(m, 1, 0), "node 0");
  EXPECT_EQ(producer_of(m, 1, 1), "left out");
  EXPECT_EQ(producer_of(m, 1, 2), "initializer 1");
  EXPECT_EQ(m.graphs()[0].outputs[0], m.node(1).outputs()[0]);
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(Binding, FindsAValueThatIsWrittenLater) {
  const ReadModel read(model(graph({node("A", {"late"}, {"x"}), node("B", {"x"}, {"late"})})));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(producer_of(read.model(), 0, 0), "node 1");
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(Binding, AnInitializerIsTheDefaultOfAnInput) {
  const ReadModel read(
      model(graph({node("A", {"w"}, {})}, {"in", "w"}).inner(GraphField::initializer, tensor("w"))));
  ASSERT_TRUE(read.ok());
  const Model& m = read.model();
  EXPECT_EQ(producer_of(m, 0, 0), "initializer 0");
  EXPECT_EQ(m.graphs()[0].inputs[1], m.initializers()[0].value);
  EXPECT_EQ(m.value_count(), 2u);
}

TEST(Binding, TheFirstOfTwoInitializersOfOneNameCounts) {
  const ReadModel read(model(graph({node("A", {"w"}, {})})
                                 .inner(GraphField::initializer, tensor("w"))
                                 .inner(GraphField::initializer, tensor("w"))
                                 .inner(GraphField::initializer, tensor(""))));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(producer_of(read.model(), 0, 0), "initializer 0");
  EXPECT_EQ(read.model().initializers()[1].value, read.model().initializers()[0].value);
  EXPECT_EQ(read.model().initializers()[2].value, none);
}

TEST(Binding, ASparseInitializerIsNamedAfterItsValues) {
  const Message sparse = Message()
                             .inner(SparseTensorField::values, tensor("old"))
                             .inner(SparseTensorField::indices, tensor("not this"))
                             .inner(SparseTensorField::values, tensor("w"));
  const ReadModel read(model(graph({node("A", {"w"}, {})}).inner(GraphField::sparse_initializer, sparse)));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(producer_of(read.model(), 0, 0), "initializer 0");
  EXPECT_TRUE(read.model().initializers()[0].sparse);
}

TEST(Binding, WarnsOfTwoProducersAndUsesTheFirst) {
  const ReadModel read(
      model(graph({node("A", {}, {"x"}), node("B", {}, {"x"}, "again"), node("C", {"x"}, {})})));
  ASSERT_TRUE(read.ok());
  const Model& m = read.model();
  EXPECT_EQ(producer_of(m, 2, 0), "node 0");
  const ValueId second = m.node(1).outputs()[0];
  EXPECT_EQ(m.value_name(second), "x") << "the second keeps its row's output";
  EXPECT_EQ(m.producer(second).index, 1u);
  ASSERT_EQ(read.noted("M001"), 1u);
  EXPECT_EQ(read.diagnostics.kept()[0].where, "node 1 'again'");
  EXPECT_NE(read.diagnostics.kept()[0].text.find("'x'"), std::string::npos);
}

TEST(Binding, WarnsOfAnOutputThatIsAnInputOrInitializer) {
  const ReadModel read(
      model(graph({node("A", {}, {"in"}), node("B", {"w"}, {"w"}), node("C", {"in", "w"}, {})}, {"in"})
                .inner(GraphField::initializer, tensor("w"))));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.noted("M001"), 2u);
  EXPECT_EQ(producer_of(read.model(), 2, 0), "graph input");
  EXPECT_EQ(producer_of(read.model(), 2, 1), "initializer 0");
}

TEST(Binding, ANodeMayProduceAValueTwice) {
  const ReadModel read(model(graph({node("A", {}, {"x", "y", "x"}), node("B", {"x"}, {})})));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.noted("M001"), 1u);
  EXPECT_EQ(names_of(read.model(), read.model().node(0).outputs()),
            (std::vector<std::string>{"x", "y", "x"}));
  EXPECT_EQ(producer_of(read.model(), 1, 0), "node 0");
  EXPECT_EQ(read.model().value_count(), 2u);
}

TEST(Binding, WarnsOnceOfAnUndefinedValue) {
  const ReadModel read(model(graph({node("A", {"gone"}, {}, "a"), node("B", {"gone"}, {})})));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(producer_of(read.model(), 0, 0), "undefined");
  EXPECT_EQ(read.model().node(0).inputs()[0], read.model().node(1).inputs()[0]);
  ASSERT_EQ(read.noted("M002"), 1u);
  EXPECT_EQ(read.diagnostics.kept()[0].where, "node 0 'a'");
}

TEST(Binding, WarnsOfAnUndefinedGraphOutput) {
  const ReadModel read(model(graph({}, {}, {"gone"})));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.model().producer(read.model().graphs()[0].outputs[0]).kind, Producer::Kind::undefined);
  ASSERT_EQ(read.noted("M002"), 1u);
  EXPECT_EQ(read.diagnostics.kept()[0].where, "main graph");
}

TEST(Binding, InputsAndOutputsOfAGraphMayLackAName) {
  const ReadModel read(model(graph({node("A", {""}, {})})
                                 .inner(GraphField::input, Message())
                                 .inner(GraphField::input, value_info(""))
                                 .inner(GraphField::output, Message())));
  ASSERT_TRUE(read.ok());
  const Model& m = read.model();
  EXPECT_EQ(names_of(m, m.graphs()[0].inputs), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(names_of(m, m.graphs()[0].outputs), std::vector<std::string>{""});
  EXPECT_EQ(m.node(0).inputs()[0], none) << "an input left out is not that one";
}

TEST(Binding, ABodySeesEnclosingGraphs) {
  const Message inner = graph({node("D", {"outer", "middle", "later"}, {"d"})}, {}, {"d", "outer"});
  const Message middle =
      graph({node("C", {}, {"middle"}), node("If", {}, {}).inner(NodeField::attribute, body("b", inner))});
  const ReadModel read(model(
      graph({node("A", {}, {"outer"}), node("If", {}, {}).inner(NodeField::attribute, body("b", middle)),
             node("B", {}, {"later"})})));
  ASSERT_TRUE(read.ok());
  const Model& m = read.model();
  ASSERT_EQ(m.node(5).op_type(), "D");
  EXPECT_EQ(producer_of(m, 5, 0), "node 0");
  EXPECT_EQ(producer_of(m, 5, 1), "node 3");
  EXPECT_EQ(producer_of(m, 5, 2), "node 2");
  EXPECT_EQ(m.graphs()[2].outputs[1], m.node(0).outputs()[0]) << "a body may give out an outer value";
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(Binding, NamesOfABodyShadowOuterNames) {
  const Message then_graph = graph({node("T", {}, {"x"}), node("U", {"x"}, {})});
  const Message else_graph = graph({node("E", {"x"}, {})});
  const Message loop_graph = graph({node("L", {"x"}, {})}, {"x"});
  const ReadModel read(model(graph(
      {node("A", {}, {"x"}),
       node("If", {}, {})
           .inner(NodeField::attribute, body("then", then_graph))
           .inner(NodeField::attribute, body("else", else_graph)),
       node("Loop", {}, {}).inner(NodeField::attribute, body("body", loop_graph)), node("Z", {"x"}, {})})));
  ASSERT_TRUE(read.ok());
  const Model& m = read.model();
  EXPECT_EQ(producer_of(m, 3, 0), "node 0") << "Z, after the bodies";
  EXPECT_EQ(producer_of(m, 5, 0), "node 4") << "U reads the body's x";
  EXPECT_EQ(producer_of(m, 6, 0), "node 0") << "E reads the outer x";
  EXPECT_EQ(producer_of(m, 7, 0), "graph input") << "L reads the body's input";
  EXPECT_TRUE(read.diagnostics.empty()) << "hiding a name is not writing it twice";
}

TEST(Binding, NamesOfABodyAreLocal) {
  const Message inner = graph({node("B", {}, {"inside"})});
  const ReadModel read(model(
      graph({node("If", {}, {}).inner(NodeField::attribute, body("b", inner)), node("C", {"inside"}, {})})));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(producer_of(read.model(), 1, 0), "undefined");
}

TEST(Binding, DiagnosticsNameANodeOfABodyByItsGraph) {
  const Message inner = graph({node("B", {"gone"}, {}, "b")});
  const ReadModel read(
      model(graph({node("A", {}, {}), node("If", {}, {}).inner(NodeField::attribute, body("t", inner))})));
  ASSERT_EQ(read.noted("M002"), 1u);
  EXPECT_EQ(read.diagnostics.kept()[0].where, "node 1.t#0 'b'");
}

TEST(Binding, AFunctionSeesOnlyItsOwnValues) {
  const ReadModel read(
      model(graph({node("A", {}, {"x"})}))
          .inner(ModelField::functions, function("f", {node("B", {"x", "p"}, {"y"})}, {"p"}, {"y"}))
          .inner(ModelField::functions, function("g", {node("C", {"y", "p"}, {})}, {}, {"p"})));
  ASSERT_TRUE(read.ok());
  const Model& m = read.model();
  EXPECT_EQ(producer_of(m, 1, 0), "undefined") << "the main graph's x";
  EXPECT_EQ(producer_of(m, 1, 1), "graph input");
  EXPECT_EQ(producer_of(m, 2, 0), "undefined") << "f's y";
  EXPECT_EQ(producer_of(m, 2, 1), "undefined") << "f's p";
  EXPECT_EQ(m.graphs()[1].outputs[0], m.node(1).outputs()[0]);
  EXPECT_EQ(read.noted("M002"), 3u);
}

}  // namespace
}  // namespace thence::test
