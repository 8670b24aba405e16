// A node whose message is larger than 4 GiB, in a file that is mostly a hole: offsets and lengths are 64
// bits everywhere, and weights are not read.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "onnx_parts.h"

namespace thence::test {
namespace {

constexpr std::uint64_t weight_size = (std::uint64_t{5} << 30) + 7;

// The message with a field of `size` more bytes put before it.
std::string before(const std::string& header_of, std::uint64_t size) { return header_of + varint(size); }

class LargeFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "thence_large_" + std::to_string(getpid()) + ".onnx";
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT_GE(descriptor_, 0);
  }
  void TearDown() override {
    close(descriptor_);
    unlink(path_.c_str());
  }
  bool write_at(std::uint64_t offset, const std::string& bytes) const {
    return pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(bytes.size());
  }

  std::string path_;
  int descriptor_ = -1;
};

TEST_F(LargeFile, ANodeOfMoreThanFourGibibytesIsRead) {
  const std::string raw = before(Message::tag(TensorField::raw_data, 2), weight_size);
  const std::uint64_t tensor_size = raw.size() + weight_size;
  const std::string t = before(Message::tag(AttributeField::t, 2), tensor_size) + raw;
  const std::uint64_t attribute_size = t.size() + weight_size;
  const std::string attribute = before(Message::tag(NodeField::attribute, 2), attribute_size) + t;
  const std::string after = node("Constant", {}, {"weight"}, "large").bytes();
  const std::uint64_t node_size = attribute.size() + weight_size + after.size();
  const std::string first = before(Message::tag(GraphField::node, 2), node_size) + attribute;
  const std::string second = Message().inner(GraphField::node, node("Relu", {"weight"}, {"y"})).bytes();
  const std::uint64_t graph_size = first.size() + weight_size + after.size() + second.size();
  const std::string head = before(Message::tag(ModelField::graph, 2), graph_size) + first;
  if (!write_at(0, head) || !write_at(head.size() + weight_size, after + second))
    GTEST_SKIP() << "no room for a file of 5 GiB here, even one with a hole";

  Diagnostics diagnostics;
  const Result<Model> read = Model::open(path_, diagnostics);
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_EQ(read->node_count(), 2u);
  EXPECT_EQ(read->node(0).op_type(), "Constant");
  EXPECT_EQ(read->node(0).name(), "large");
  EXPECT_EQ(read->node(0).bytes().size(), node_size);
  EXPECT_EQ(producer_of(*read, 1, 0), "node 0");
  ASSERT_EQ(read->node(0).attributes().size(), 1u);
  EXPECT_EQ(read_tensor(read->node(0).attributes()[0].tensor).raw_size, weight_size);
}

}  // namespace
}  // namespace thence::test
