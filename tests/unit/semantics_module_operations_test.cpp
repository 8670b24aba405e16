// What modules compute, by their nodes.
#include "semantics/module_operations.h"

#include <gtest/gtest.h>

#include "graph_parts.h"

namespace thence::semantics {
namespace {

using namespace test;
using Kind = ModuleOperation::Kind;

// All nodes of a graph are of one module, each in the given call.
ModuleOperation operation_of(const Message& graph, const std::vector<std::uint32_t>& calls = {}) {
  const ReadModel read(model(graph).bytes());
  modules::ModuleTree tree;
  const modules::ModuleId module = tree.add("layer", "");
  resolve::Resolution resolution;
  for (std::size_t i = 0; i < read.model().node_count(); ++i) {
    resolution.nodes.emplace_back();
    resolution.nodes.back().module = module;
    if (i < calls.size()) resolution.nodes.back().set_call(calls[i]);
  }
  return ModuleOperations(read.model(), tree, resolution).of(module);
}

Message with_weights(Message graph) {
  return with_initializers(std::move(graph), {weight("w", 1, {8, 8}), weight("w2", 2, {8, 8}),
                                              weight("wide", 3, {8, 24}), weight("cube", 4, {2, 8, 8})});
}

TEST(ModuleOperations, AProductWithOneWeightIsLinear) {
  EXPECT_EQ(operation_of(with_weights(graph({node("MatMul", {"x", "w"}, {"y"})}, {"x"}, {"y"}))).kind,
            Kind::linear);
  EXPECT_EQ(
      operation_of(with_weights(graph({node("Transpose", {"w"}, {"t"}), node("Gemm", {"x", "t"}, {"y"})},
                                      {"x"}, {"y"})))
          .kind,
      Kind::linear);
}

TEST(ModuleOperations, OtherComputationsAreNotLinear) {
  const auto kind = [](std::initializer_list<Message> nodes) {
    return operation_of(with_weights(graph(nodes, {"x"}, {"y"}))).kind;
  };
  EXPECT_EQ(kind({node("MatMul", {"x", "x"}, {"y"})}), Kind::other);
  EXPECT_EQ(kind({node("MatMul", {"x", "cube"}, {"y"})}), Kind::other);
  EXPECT_EQ(kind({node("MatMul", {"w", "x"}, {"y"})}), Kind::other);
  EXPECT_EQ(kind({node("MatMul", {"x", "w"}, {"a"}), node("Relu", {"a"}, {"y"})}), Kind::other);
  EXPECT_EQ(kind({node("MatMul", {"x", "w"}, {"a"}), node("MatMul", {"a", "w2"}, {"y"})}), Kind::other);
  EXPECT_EQ(kind({node("Conv", {"x", "w"}, {"y"})}), Kind::convolution);
  EXPECT_EQ(kind({node("Reshape", {"x", "w"}, {"y"})}), Kind::unknown);
}

// A convolution with a fused activation belongs to the activation, and the convolution computes it.
TEST(ModuleOperations, AFusedNodeIsTheOperationOfTheMemberThatComputes) {
  const ReadModel read(model(with_weights(graph({node("Conv", {"x", "w"}, {"y"})}, {"x"}, {"y"}))).bytes());
  modules::ModuleTree tree;
  resolve::Resolution resolution;
  resolution.nodes.resize(1);
  resolution.nodes[0].module = tree.add("act", "");
  resolution.nodes[0].computing = tree.add("conv", "");
  const ModuleOperations found(read.model(), tree, resolution);
  EXPECT_EQ(found.of(tree.find("act")).kind, Kind::unknown);
  EXPECT_EQ(found.of(tree.find("conv")).kind, Kind::convolution);
}

TEST(ModuleOperations, EachCallMayHaveItsCopyOfTheWeight) {
  const Message twice = with_weights(
      graph({node("MatMul", {"x", "w"}, {"a"}), node("MatMul", {"a", "w2"}, {"y"})}, {"x"}, {"y"}));
  EXPECT_EQ(operation_of(twice, {0, 1}).kind, Kind::linear);
  EXPECT_EQ(operation_of(twice, {0, 0}).kind, Kind::other);
}

TEST(ModuleOperations, AJoinedProjectionIsReadInThreeParts) {
  const auto is_split = [](std::initializer_list<Message> nodes) {
    return operation_of(with_weights(graph(nodes, {"x"}, {"y"}))).is_split_in_three;
  };
  EXPECT_TRUE(is_split({node("MatMul", {"x", "wide"}, {"a"}), node("Slice", {"a"}, {"q"}),
                        node("Slice", {"a"}, {"k"}), node("Slice", {"a"}, {"v"})}));
  EXPECT_FALSE(is_split(
      {node("MatMul", {"x", "wide"}, {"a"}), node("Slice", {"a"}, {"q"}), node("Slice", {"a"}, {"k"})}));
  EXPECT_FALSE(is_split({node("MatMul", {"x", "w"}, {"a"}), node("Slice", {"a"}, {"q"}),
                         node("Slice", {"a"}, {"k"}), node("Slice", {"a"}, {"v"})}));
}

}  // namespace
}  // namespace thence::semantics
