// Use lists, bodies and functions.
#include "dataflow/uses.h"

#include <gtest/gtest.h>

#include "dataflow/bodies.h"
#include "onnx_parts.h"

namespace thence::dataflow {
namespace {

using test::body;
using test::function;
using test::graph;
using test::node;
using test::ReadModel;
using Nodes = std::vector<onnx::NodeId>;

Nodes listed(std::span<const onnx::NodeId> ids) { return {ids.begin(), ids.end()}; }

// If holds two bodies; its second output comes from neither.
const test::Message conditional =
    node("If", {"c"}, {"y"})
        .inner(onnx::NodeField::attribute, body("then_branch", graph({node("Neg", {"x"}, {"a"})}, {}, {"a"})))
        .inner(onnx::NodeField::attribute,
               body("else_branch", graph({node("Exp", {"x"}, {"b"})}, {}, {"b"})));

TEST(Uses, OnceForEachInputInFileOrder) {
  const ReadModel read(test::model(
      graph({node("Relu", {"x"}, {"a"}), node("Mul", {"a", "a"}, {"b"}), node("Add", {"b", "", "a"}, {"y"})},
            {"x"}, {"y"})));
  const Uses uses(read.model());
  EXPECT_EQ(listed(uses.of(read.model().node(0).outputs()[0])), (Nodes{1, 1, 2}));
  EXPECT_EQ(listed(uses.of(read.model().node(2).outputs()[0])), Nodes{});
}

TEST(Uses, TheNodeAroundABodyReadsWhatTheBodyReturns) {
  const ReadModel read(test::model(graph({node("Relu", {"u"}, {"x"}), conditional}, {"u", "c"}, {"y"})));
  const onnx::Model& model = read.model();
  const Uses uses(model);
  EXPECT_EQ(listed(uses.of(model.node(2).outputs()[0])), Nodes{1});
  EXPECT_EQ(listed(uses.of(model.node(0).outputs()[0])), (Nodes{2, 3}));  // nodes inside the bodies
}

TEST(Bodies, HeldByTheirNodeInFileOrder) {
  const ReadModel read(test::model(graph({node("Relu", {"u"}, {"x"}), conditional}, {"u", "c"}, {"y"})));
  const Bodies bodies(read.model());
  EXPECT_EQ(bodies.held_by(0).size(), 0u);
  ASSERT_EQ(bodies.held_by(1).size(), 2u);
  EXPECT_EQ(read.model().graphs()[bodies.held_by(1)[0]].attribute, "then_branch");
  EXPECT_EQ(read.model().graphs()[bodies.held_by(1)[1]].attribute, "else_branch");
}

TEST(Functions, CallsNeedTheOverloadToo) {
  test::Message calls =
      graph({node("F", {"x"}, {"a"}).text(onnx::NodeField::domain, "d"),
             node("F", {"a"}, {"b"}).text(onnx::NodeField::domain, "d").text(onnx::NodeField::overload, "2"),
             node("F", {"b"}, {"c"})});
  const auto made = [](std::string_view overload, std::initializer_list<test::Message> nodes) {
    return function("F", nodes, {"x"}, {"y"})
        .text(onnx::FunctionField::domain, "d")
        .text(onnx::FunctionField::overload, overload);
  };
  const ReadModel read(
      test::model(calls)
          .inner(onnx::ModelField::functions, made("3", {node("Neg", {"x"}, {"y"})}))
          .inner(onnx::ModelField::functions, made("", {node("Exp", {"x"}, {"y"}), conditional})));
  const onnx::Model& model = read.model();
  const Functions functions(model);
  ASSERT_EQ(functions.all().size(), 2u);
  EXPECT_EQ(model.graphs()[functions.all()[0]].overload, "");  // sorted
  EXPECT_EQ(functions.called_by(model.node(0)), functions.all()[0]);
  EXPECT_EQ(functions.called_by(model.node(1)), onnx::none);  // no overload "2"
  EXPECT_TRUE(functions.has_overload_of(model.node(1)));
  EXPECT_FALSE(functions.has_overload_of(model.node(2)));  // another domain
  EXPECT_EQ(functions.end_of(functions.all()[1]), functions.all()[1] + 1);
  EXPECT_EQ(functions.end_of(functions.all()[0]), functions.all()[0] + 3);  // with two bodies
}

}  // namespace
}  // namespace thence::dataflow
