// Scopes that tools which build graphs write, and those that PyTorch's exporters write.
#include "hierarchy/builder_scopes.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::hierarchy {
namespace {

using test::graph;
using test::node;

bool is_built(const test::Message& graph, std::string_view producer = "") {
  test::Message file = test::model(graph);
  if (!producer.empty()) file.text(onnx::ModelField::producer_name, producer);
  const test::ReadModel read(file);
  return has_builder_scopes(read.model());
}

TEST(BuilderScopes, AreThoseWithOutputsOfAnotherForm) {
  EXPECT_TRUE(is_built(graph({node("Relu", {"x"}, {"/a/Relu/output_0"}, "/a/Relu")}), "builder"));
  EXPECT_FALSE(is_built(graph({node("Relu", {"x"}, {"/a/Relu/output_0"}, "/a/Relu")}), "pytorch"));
  EXPECT_FALSE(is_built(graph({node("Relu", {"x"}, {"/a/Relu_output_0"}, "/a/Relu")})));
  EXPECT_FALSE(is_built(graph({node("Relu", {"x"}, {"y"}, "/a/Relu")})));
  EXPECT_FALSE(is_built(graph({node("Relu", {"x"}, {"/a/Relu/output_0"}, "a/Relu")})));
  EXPECT_FALSE(
      is_built(graph({node("MatMul", {"x", "onnx::MatMul_1"}, {"/a/MatMul/output_0"}, "/a/MatMul")})));
}

bool named_after_nodes(std::string_view node_name, std::string_view initializer) {
  test::Message made = graph({node("MatMul", {"x", initializer}, {"y"}, node_name)});
  made.inner(onnx::GraphField::initializer, test::tensor(initializer));
  const test::ReadModel read(test::model(made));
  return names_parameters_after_nodes(read.model());
}

TEST(BuilderScopes, MayNameParametersAfterNodes) {
  EXPECT_TRUE(named_after_nodes("/a/fc/MatMul", "a.fc.MatMul.weight"));
  EXPECT_TRUE(named_after_nodes("/a/fc/MatMul_Q4", "a.fc.MatMul.weight_Q4"));
  EXPECT_FALSE(named_after_nodes("/a/fc/MatMul", "a.fc.weight"));
  EXPECT_FALSE(named_after_nodes("a/fc/MatMul", "a.fc.MatMul.weight"));
}

}  // namespace
}  // namespace thence::hierarchy
