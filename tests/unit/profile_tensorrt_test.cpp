#include "profile/tensorrt.h"

#include <gtest/gtest.h>

namespace thence::profile {
namespace {

using Names = std::vector<std::string>;

TEST(TensorRt, ReadsLayerNames) {
  EXPECT_EQ(nodes_in_layer_name("/a/Conv"), Names{"/a/Conv"});
  EXPECT_EQ(nodes_in_layer_name("/a/Conv + /a/Relu"), (Names{"/a/Conv", "/a/Relu"}));
  EXPECT_EQ(nodes_in_layer_name("/a/Conv + PWN(/a/Sigmoid, /a/Mul)"),
            (Names{"/a/Conv", "/a/Sigmoid", "/a/Mul"}));
  EXPECT_EQ(nodes_in_layer_name("{ForeignNode[/a/Add.../b/Mul]}"), Names{"/a/Add.../b/Mul"});
  EXPECT_EQ(nodes_in_layer_name("Reformatting CopyNode for Input Tensor 0 to /a/Conv + /a/Relu"),
            (Names{"/a/Conv", "/a/Relu"}));
  EXPECT_TRUE(nodes_in_layer_name("").empty());
}

TEST(TensorRt, ReadsMetadata) {
  EXPECT_EQ(nodes_in_metadata("[ONNX Layer: /a/Conv]\x1e[ONNX Layer: /a/Relu]"),
            (Names{"/a/Conv", "/a/Relu"}));
  EXPECT_EQ(nodes_in_metadata("[ONNX Layer: a[0]]\x1f[ONNX Layer: b]"), (Names{"a[0]", "b"}));
  EXPECT_TRUE(nodes_in_metadata("").empty());
  EXPECT_TRUE(nodes_in_metadata("[ONNX Layer: ").empty());
}

}  // namespace
}  // namespace thence::profile
