#include "functions/unfold.h"

#include <gtest/gtest.h>

#include <string>

#include "functions/expand.h"
#include "functions/origin.h"
#include "onnx/layout.h"
#include "proto.h"

namespace thence::functions {
namespace {

using onnx::AttributeField;
using onnx::FunctionField;
using onnx::GraphField;
using onnx::ModelField;
using onnx::NodeField;
using onnx::OpsetField;
using test::Message;

Message node(std::string_view op, std::string_view name, std::vector<std::string_view> inputs,
             std::vector<std::string_view> outputs, std::string_view domain = "") {
  Message message;
  for (const std::string_view input : inputs) message.text(NodeField::input, input);
  for (const std::string_view output : outputs) message.text(NodeField::output, output);
  message.text(NodeField::name, name).text(NodeField::op_type, op);
  if (!domain.empty()) message.text(NodeField::domain, domain);
  return message;
}

Message function(std::string_view name, std::vector<std::string_view> inputs,
                 std::vector<std::string_view> outputs, const std::vector<Message>& nodes,
                 std::uint64_t opset = 17) {
  Message message;
  message.text(FunctionField::name, name);
  for (const std::string_view input : inputs) message.text(FunctionField::input, input);
  for (const std::string_view output : outputs) message.text(FunctionField::output, output);
  for (const Message& each : nodes) message.inner(FunctionField::node, each);
  message.inner(FunctionField::opset_import, Message().number(OpsetField::version, opset));
  return message.text(FunctionField::domain, "own");
}

Message model(const std::vector<Message>& nodes, const std::vector<Message>& functions) {
  Message graph;
  for (const Message& each : nodes) graph.inner(GraphField::node, each);
  Message message;
  message.number(ModelField::ir_version, 8).inner(ModelField::graph, graph);
  message.inner(ModelField::opset_import, Message().number(OpsetField::version, 17));
  for (const Message& each : functions) message.inner(ModelField::functions, each);
  return message;
}

// One line per node: operator, name, inputs and outputs.
std::string lines(const onnx::Model& flat) {
  std::string text;
  const auto names = [&](std::span<const onnx::ValueId> values) {
    for (const onnx::ValueId value : values)
      text += " " + std::string(value == onnx::none ? "-" : flat.value_name(value));
  };
  for (onnx::NodeId id = 0; id < flat.graphs().front().node_count; ++id) {
    text += std::string(flat.node(id).op_type()) + " " + std::string(flat.node(id).name()) + ":";
    names(flat.node(id).inputs());
    text += " ->";
    names(flat.node(id).outputs());
    text += "\n";
  }
  return text;
}

std::string unfolded(const Message& message) {
  Diagnostics ignored;
  const Result<onnx::Model> before = onnx::Model::read(message.bytes(), "test", ignored);
  if (!before) return before.error().code;
  const Result<Unfolded> flat = unfold_model(*before, ignored);
  if (!flat) return flat.error().code;
  std::string text = lines(flat->flat);
  for (const onnx::Graph& graph : flat->flat.graphs())
    if (graph.kind == onnx::Graph::Kind::function) text += "function " + std::string(graph.name) + "\n";
  return text;
}

TEST(Unfold, NamesInnerValuesAfterTheCall) {
  const Message twice =
      function("Twice", {"a"}, {"c"}, {node("Neg", "n", {"a"}, {"b"}), node("Abs", "m", {"b"}, {"c"})});
  EXPECT_EQ(unfolded(model({node("Twice", "p", {"x"}, {"y"}, "own"), node("Twice", "q", {"y"}, {"z"}, "own")},
                           {twice})),
            "Neg p/n: x -> p/b\nAbs p/m: p/b -> y\nNeg q/n: y -> q/b\nAbs q/m: q/b -> z\n");
}

TEST(Expand, NodesWithOriginsHaveNoNamesOfOtherCalls) {
  const Message inner = function("Inner", {"a"}, {"b"}, {node("Neg", "/wrong/n", {"a"}, {"b"})});
  const Message outer = function("Outer", {"a"}, {"c"},
                                 {node("Inner", "i", {"a"}, {"b"}, "own"), node("Abs", "m", {"b"}, {"c"})});
  const Message message = model({node("Outer", "/p/Outer", {"x"}, {"/p/Outer_output_0"}, "own"),
                                 node("Relu", "/r/Relu", {"/p/Outer_output_0"}, {"y"})},
                                {inner, outer});
  Diagnostics ignored;
  const Result<onnx::Model> before = onnx::Model::read(message.bytes(), "test", ignored);
  const Result<Expanded> flat =
      expand_functions(*before, [](const onnx::Graph&) { return true; }, NodeLabels::origins);
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->expanded, 2u);
  const Result<onnx::Model> after = onnx::Model::read(*flat->model.assemble(), *before, ignored);
  EXPECT_EQ(lines(*after), "Neg : x -> value_1\nAbs : value_1 -> value\nRelu /r/Relu: value -> y\n");
  EXPECT_EQ(origin_of(after->node(0)), "0.3.2");
  EXPECT_EQ(origin_of(after->node(1)), "0.4");
  EXPECT_EQ(origin_of(after->node(2)), "");
}

TEST(Unfold, OneCallKeepsFreeNames) {
  const Message once =
      function("Once", {"a"}, {"c"}, {node("Neg", "n", {"a"}, {"x"}), node("Abs", "m", {"x"}, {"c"})});
  EXPECT_EQ(unfolded(model({node("Once", "p", {"x"}, {"y"}, "own")}, {once})),
            "Neg n: x -> p/x\nAbs m: p/x -> y\n");
}

TEST(Unfold, OmittedAndForwardedValues) {
  const Message odd =
      function("Odd", {"a", "b"}, {"c", "a", "c"}, {node("Clip", "n", {"a", "", "b"}, {"c"})});
  EXPECT_EQ(unfolded(model({node("Odd", "p", {"x"}, {"y", "z", "w"}, "own")}, {odd})),
            "Clip n: x - - -> y\nIdentity : x -> z\nIdentity : y -> w\n");
}

TEST(Unfold, AttributesOfTheFunctionGetTheirValues) {
  const auto attribute = [](std::string_view name) { return Message().text(AttributeField::name, name); };
  const Message inner =
      node("Softmax", "n", {"a"}, {"b"})
          .inner(NodeField::attribute, attribute("axis").text(AttributeField::ref_attr_name, "dim"))
          .inner(NodeField::attribute, attribute("gone").text(AttributeField::ref_attr_name, "none"));
  Message soft = function("Soft", {"a"}, {"b"}, {inner});
  soft.inner(FunctionField::attribute_proto, attribute("dim").number(AttributeField::i, 5));
  const Message given = node("Soft", "p", {"x"}, {"y"}, "own")
                            .inner(NodeField::attribute, attribute("dim").number(AttributeField::i, 3));
  const std::string bytes = model({given, node("Soft", "q", {"y"}, {"z"}, "own")}, {soft}).bytes();
  Diagnostics ignored;
  const Result<onnx::Model> before = onnx::Model::read(bytes, "test", ignored);
  const Result<Unfolded> flat = unfold_model(*before, ignored);
  EXPECT_EQ(flat->flat.node(0).attribute("axis")->i, 3);
  EXPECT_EQ(flat->flat.node(1).attribute("axis")->i, 5);
  EXPECT_EQ(flat->flat.node(0).attributes().size(), 1u);
}

TEST(Unfold, AFunctionWithOtherOperatorVersionsStays) {
  const Message old = function("Old", {"a"}, {"b"},
                               {node("Relu", "n", {"a"}, {"b"}), node("New", "m", {"a"}, {"c"}, "own")}, 12);
  const Message fresh = function("New", {"a"}, {"b"}, {node("Abs", "n", {"a"}, {"b"})});
  EXPECT_EQ(unfolded(model({node("Old", "p", {"x"}, {"y"}, "own"), node("New", "q", {"y"}, {"z"}, "own")},
                           {old, fresh})),
            "Old p: x -> y\nAbs n: y -> z\nfunction Old\nfunction New\n");
}

TEST(Unfold, CyclesAreAnError) {
  const Message a = function("A", {"a"}, {"b"}, {node("B", "n", {"a"}, {"b"}, "own")});
  const Message b = function("B", {"a"}, {"b"}, {node("A", "n", {"a"}, {"b"}, "own")});
  EXPECT_EQ(unfolded(model({node("A", "p", {"x"}, {"y"}, "own")}, {a, b})), "W016");
  EXPECT_EQ(unfolded(model({}, {a, b})), "W016");
  const Message self = function("A", {"a"}, {"b"}, {node("A", "n", {"a"}, {"b"}, "own")});
  EXPECT_EQ(unfolded(model({}, {self})), "W016");
}

TEST(Unfold, DoublingAndDeepNestingAreErrors) {
  const auto chain = [](int levels, int calls) {
    std::vector<Message> functions = {function("F0", {"a"}, {"b"}, {node("Neg", "n", {"a"}, {"b"})})};
    for (int level = 1; level <= levels; ++level) {
      const std::string inner = "F" + std::to_string(level - 1);
      std::vector<Message> nodes;
      for (int call = 0; call < calls; ++call)
        nodes.push_back(node(inner, "n", {"a"}, {call == 0 ? "b" : "c"}, "own"));
      functions.push_back(function("F" + std::to_string(level), {"a"}, {"b"}, nodes));
    }
    return model({node("F" + std::to_string(levels), "p", {"x"}, {"y"}, "own")}, functions);
  };
  EXPECT_EQ(unfolded(chain(64, 2)), "W017");
  EXPECT_EQ(unfolded(chain(1000, 1)), "W017");
  EXPECT_EQ(unfolded(chain(50, 1)), "Neg n: x -> y\n");
}

}  // namespace
}  // namespace thence::functions
