#include <gtest/gtest.h>

#include "evidence_parts.h"

namespace thence::evidence {
namespace {

using test::graph;
using test::node;

test::Lines from_names(const test::ModelWithHierarchy& net) {
  Sink sink;
  collect_scopes(net.model(), net.hierarchy, sink);
  return lines_of(net, sink, Source::onnx_scope_parsing);
}

test::Lines from_value_names(const test::ModelWithHierarchy& net) {
  Sink sink;
  collect_value_names(net.model(), net.hierarchy, sink);
  return lines_of(net, sink, Source::value_names);
}

TEST(Scopes, NameAModuleThatAParameterKnows) {
  test::Message made = graph({node("MatMul", {"x", "a.fc.weight"}, {"y"}, "/a/fc/MatMul"),
                              node("Relu", {"y"}, {"z"}, "/a/act/Relu")});
  made.inner(onnx::GraphField::initializer, test::weight("a.fc.weight", {8, 8}));
  EXPECT_EQ(from_names(test::ModelWithHierarchy(test::model(made))),
            (test::Lines{"0 a.fc names_one (/a/fc)", "1 a.act uncorroborated (/a/act)"}));
}

// Of a tool that builds graphs: only a parameter shows that a path is a module.
TEST(Scopes, OfABuilderNeedNotBeModules) {
  test::Message made = graph({node("MatMul", {"x", "a.fc.weight"}, {"/a/fc/output_0"}, "/a/fc/MatMul"),
                              node("Relu", {"/a/fc/output_0"}, {"/a/act/output_0"}, "/a/act/Relu")});
  made.inner(onnx::GraphField::initializer, test::weight("a.fc.weight", {8, 8}));
  const test::ModelWithHierarchy net(test::model(made));
  EXPECT_EQ(from_names(net), (test::Lines{"0 a.fc names_one (/a/fc)", "1 a.act scope (/a/act)"}));
  EXPECT_FALSE(net.hierarchy.tree()[net.module("a.fc")].is_scope);
  EXPECT_TRUE(net.hierarchy.tree()[net.module("a.act")].is_scope);
}

TEST(Scopes, NumberRepeatedCalls) {
  const test::ModelWithHierarchy net(test::model(graph({node("Relu", {"x"}, {"y"}, "/act/Relu"),
                                                        node("Relu", {"y"}, {"z"}, "/act_1/Relu")})),
                                     test::capture_of({"act"}));
  EXPECT_EQ(from_names(net), (test::Lines{"0 act names_one (/act)", "1 act#1 names_one (/act_1)"}));
}

// Without a capture it may be a module of that name as well.
TEST(Scopes, InferRepeatedCallsWithoutACapture) {
  const test::ModelWithHierarchy net(test::model(
      graph({node("Relu", {"x"}, {"y"}, "/act/Relu"), node("Relu", {"y"}, {"z"}, "/act_1/Relu")})));
  EXPECT_EQ(from_names(net), (test::Lines{"0 act uncorroborated (/act)", "1 act#1 inferred_call (/act_1)"}));
}

TEST(Scopes, ListAllModulesThatFit) {
  const test::ModelWithHierarchy net(test::model(graph({node("Relu", {"x"}, {"y"}, "/act/Relu")})),
                                     test::capture_of({"a", "a.act", "b", "b.act"}));
  EXPECT_EQ(from_names(net), (test::Lines{"0 a.act names_several (/act)", "0 b.act names_several (/act)"}));
}

TEST(Scopes, NameNoModuleThatTheCaptureLacks) {
  const test::ModelWithHierarchy net(test::model(graph({node("Relu", {"x"}, {"y"}, "/other/Relu")})),
                                     test::capture_of({"a"}));
  EXPECT_TRUE(from_names(net).empty());
}

TEST(ValueNames, NameTheModuleOfANodeWithoutAName) {
  const test::ModelWithHierarchy net(
      test::model(graph({node("Relu", {"x"}, {"/a/act/Relu_output_0"}),
                         node("Relu", {"/a/act/Relu_output_0"}, {"y"}, "/b/Relu")})));
  EXPECT_EQ(from_value_names(net), test::Lines{"0 a.act uncorroborated (/a/act)"});
}

// The containers are never called, so both scopes spell the same path.
TEST(ValueNames, LeadToTheOwnerOfTheWeightThatTheNodeReads) {
  test::Message made =
      graph({node("Conv", {"x", "down.0.conv.weight"}, {"/conv/Conv_output_0"}),
             node("Conv", {"/conv/Conv_output_0", "down.1.conv.weight"}, {"/conv_1/Conv_output_0"})});
  made.inner(onnx::GraphField::initializer, test::weight("down.0.conv.weight", {8, 8}));
  made.inner(onnx::GraphField::initializer, test::weight("down.1.conv.weight", {8, 8}));
  const test::ModelWithHierarchy net(test::model(made),
                                     test::capture_of({"down.0", "down.0.conv", "down.1", "down.1.conv"}));
  EXPECT_EQ(from_value_names(net),
            (test::Lines{"0 down.0.conv inferred_call (/conv)", "1 down.1.conv inferred_call (/conv_1)"}));
}

// The node's own scope is no second opinion on itself.
TEST(ValueNames, AddNothingToTheSameScopeInTheNodesName) {
  const test::ModelWithHierarchy net(
      test::model(graph({node("Relu", {"x"}, {"/a/Relu_output_0"}, "/a/Relu"),
                         node("Add", {"x", "/a/Relu_output_0"}, {"/c/Add_output_0"}, "/b/Add")})));
  EXPECT_EQ(from_value_names(net), test::Lines{"1 c uncorroborated (/c)"});
}

}  // namespace
}  // namespace thence::evidence
