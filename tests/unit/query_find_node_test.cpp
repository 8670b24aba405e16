#include "query/find_node.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::test {
namespace {

class FindingNodes : public testing::Test {
 protected:
  std::string bytes = model(graph({node("Relu", {"x"}, {"a"}, "first"), node("Relu", {"a"}, {"b"}, "twice"),
                                   node("Relu", {"b"}, {"c"}, "twice"), node("Relu", {"c"}, {"d"}, "#0")}))
                          .bytes();
  Diagnostics ignored;
  Result<onnx::Model> read = onnx::Model::read(bytes, "net.onnx", ignored);
};

using Ids = std::vector<onnx::NodeId>;

TEST_F(FindingNodes, FindsAllNodesOfAName) {
  EXPECT_EQ(*query::find_node(*read, "first"), Ids{0});
  EXPECT_EQ(*query::find_node(*read, "twice"), (Ids{1, 2}));
}

TEST_F(FindingNodes, ANameGoesBeforeALocation) {
  EXPECT_EQ(*query::find_node(*read, "#0"), Ids{3});
  EXPECT_EQ(*query::find_node(*read, "#1"), Ids{1});
}

TEST_F(FindingNodes, SuggestsNamesAndLocations) {
  EXPECT_EQ(query::find_node(*read, "frist").error().hint, "the nearest names: first");
  EXPECT_EQ(query::find_node(*read, "#9").error().hint, "the nodes of that graph are '#0' to '#3'");
  EXPECT_EQ(query::find_node(*read, "").error().code, "U006");
}

}  // namespace
}  // namespace thence::test
