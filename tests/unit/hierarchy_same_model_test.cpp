// A saved model is that of a file if names and sizes fit, or content, or shapes.
#include "hierarchy/same_model.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::hierarchy {
namespace {

class SameCheckpointTest : public testing::Test {
 protected:
  void stores(const std::string& path, std::vector<std::int64_t> dims,
              std::vector<std::string> aliases = {}) {
    capture::CapturedParameter& parameter = checkpoint_.parameters.emplace_back();
    parameter.path = path;
    parameter.aliases = std::move(aliases);
    parameter.dims = std::move(dims);
    parameter.has_dims = true;
  }

  void has(std::string_view name, const std::vector<std::uint64_t>& dims) {
    test::Message tensor;
    for (const std::uint64_t size : dims) tensor.number(onnx::TensorField::dims, size);
    graph_.inner(onnx::GraphField::initializer,
                 tensor.number(onnx::TensorField::data_type, 1).text(onnx::TensorField::name, name));
  }

  std::optional<Error> check() {
    const test::ReadModel read(test::model(graph_));
    return check_same_checkpoint(checkpoint_, *read.result, "saved");
  }

 private:
  capture::Capture checkpoint_;
  test::Message graph_;
};

TEST_F(SameCheckpointTest, SizesMayBeTransposed) {
  for (const char* name : {"a.weight", "b.weight", "c.weight"}) {
    stores(name, {8, 4});
    has(name, {4, 8});
  }
  EXPECT_FALSE(check());
}

TEST_F(SameCheckpointTest, NamesOfOtherSizesAreOfAnotherModel) {
  for (const char* name : {"a.weight", "b.weight", "c.weight"}) {
    stores(name, {8, 4});
    has(name, {8, 5});
  }
  const std::optional<Error> error = check();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::difference);
  EXPECT_EQ(error->text, "saved: another model: 0 of 3 initializers of model.onnx match");
}

TEST_F(SameCheckpointTest, AliasesAreNames) {
  stores("a.weight", {8, 4}, {"b.weight", "c.weight"});
  for (const char* name : {"b.weight", "c.weight", "d.weight"}) has(name, {8, 4});
  EXPECT_FALSE(check());
}

TEST_F(SameCheckpointTest, WithoutNamesTheShapesDecide) {
  stores("a.weight", {8, 4});
  stores("b.weight", {8, 3});
  for (const char* name : {"0", "1", "2"}) has(name, {4, 8});
  EXPECT_FALSE(check());
  for (const char* name : {"3", "4", "5"}) has(name, {9, 9});
  const std::optional<Error> error = check();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->text, "saved: another model: 3 of 6 initializers of model.onnx match");
}

TEST_F(SameCheckpointTest, TooFewWeightsAreNotRefused) {
  stores("a.weight", {8, 4});
  has("0", {9, 9});
  EXPECT_FALSE(check());
}

}  // namespace
}  // namespace thence::hierarchy
