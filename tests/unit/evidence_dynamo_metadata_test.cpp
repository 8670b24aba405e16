#include <gtest/gtest.h>

#include "evidence_parts.h"

namespace thence::evidence {
namespace {

using test::graph;
using test::node;
using test::with_stack;

test::Lines from_metadata(const test::Message& graph) {
  const test::ModelWithHierarchy net(test::model(graph));
  Sink sink;
  collect_dynamo_metadata(net.model(), net.hierarchy, sink);
  return lines_of(net, sink, Source::dynamo_metadata);
}

TEST(DynamoMetadata, NamesTheInnermostModule) {
  EXPECT_EQ(from_metadata(graph({with_stack(node("Relu", {"x"}, {"y"}), "['', 'a', 'a.b', 'relu']"),
                                 with_stack(node("Relu", {"y"}, {"z"}), "['', 'relu_1']"),
                                 node("Relu", {"z"}, {"w"})})),
            (test::Lines{"0 a.b names_one (a.b)", "1 (root) names_one ()"}));
}

TEST(DynamoMetadata, IsUncorroboratedIfTheOuterEndIsCutOff) {
  EXPECT_EQ(from_metadata(graph({with_stack(node("Relu", {"x"}, {"y"}), "['a.b', 'relu']")})),
            test::Lines{"0 a.b uncorroborated (a.b)"});
}

TEST(DynamoMetadata, IsWeakerAfterARewrite) {
  test::Message conv = with_stack(node("Conv", {"x", "w"}, {"y"}), "['', 'norm', 'batch_norm']");
  conv.inner(onnx::NodeField::metadata_props,
             test::metadata("pkg.onnxscript.rewriter.rule_name", "FuseBatchNormIntoConv"));
  EXPECT_EQ(from_metadata(graph({conv})), test::Lines{"0 norm rewritten (norm)"});
}

// A view of another module's output may have been replayed for its reader. One that follows an operation of
// its own module has not.
TEST(DynamoMetadata, IsWeakerForViewsAtTheStartOfAModule) {
  EXPECT_EQ(from_metadata(graph({with_stack(node("Relu", {"x"}, {"v0"}), "['', 'a', 'relu']"),
                                 with_stack(node("Reshape", {"v0", "s"}, {"v1"}), "['', 'b', 'view']"),
                                 with_stack(node("Transpose", {"v1"}, {"v2"}), "['', 'b', 'transpose']"),
                                 with_stack(node("Relu", {"v2"}, {"v3"}), "['', 'b', 'relu_1']"),
                                 with_stack(node("Reshape", {"v3", "s"}, {"v4"}), "['', 'b', 'view_1']")})),
            (test::Lines{"0 a names_one (a)", "1 b leading_view (b)", "2 b leading_view (b)",
                         "3 b names_one (b)", "4 b names_one (b)"}));
}

// A tool that builds a graph replays nothing.
TEST(DynamoMetadata, OfABuilderIsExactForViews) {
  const auto in_scopes = [](test::Message made, std::string_view scopes) {
    return made.inner(onnx::NodeField::metadata_props, test::metadata("pkg.onnxscript.name_scopes", scopes));
  };
  EXPECT_EQ(from_metadata(graph({in_scopes(node("Relu", {"x"}, {"y"}), "['', 'a']"),
                                 in_scopes(node("Reshape", {"y", "s"}, {"z"}), "['', 'a', 'b']")})),
            (test::Lines{"0 a names_one (a)", "1 a.b names_one (a.b)"}));
}

TEST(DynamoMetadata, NamesNothingWithoutStacks) {
  EXPECT_TRUE(from_metadata(graph({node("Relu", {"x"}, {"y"}, "/a/Relu")})).empty());
}

}  // namespace
}  // namespace thence::evidence
