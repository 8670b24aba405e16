#include "weights/ancestor_weights.h"

#include <gtest/gtest.h>

namespace thence::weights {
namespace {

onnx::TensorView tensor(std::vector<std::int64_t> dims, onnx::DataType type = onnx::DataType::float32) {
  onnx::TensorView made;
  made.dims = std::move(dims);
  made.data_type = type;
  return made;
}

TEST(CompareElements, DistinguishesTypesAndSizes) {
  const onnx::TensorView before = tensor({4, 8});
  EXPECT_EQ(compare_elements(tensor({4, 8}), nullptr, before, nullptr), Transform::identity);
  EXPECT_EQ(compare_elements(tensor({8, 4}), nullptr, before, nullptr), Transform::transposed);
  EXPECT_EQ(compare_elements(tensor({4, 8}, onnx::DataType::float16), nullptr, before, nullptr),
            Transform::cast);
  EXPECT_EQ(compare_elements(tensor({4, 8}, onnx::DataType::int8), nullptr, before, nullptr),
            Transform::quantised);
  EXPECT_EQ(compare_elements(tensor({2, 8}), nullptr, before, nullptr), Transform::split);
}

TEST(Compose, KeepsTheStrongerTransform) {
  EXPECT_EQ(compose(Transform::transposed, Transform::identity), Transform::transposed);
  EXPECT_EQ(compose(Transform::transposed, Transform::transposed), Transform::identity);
  EXPECT_EQ(compose(Transform::transposed, Transform::quantised), Transform::quantised);
  EXPECT_EQ(compose(Transform::folded, Transform::cast), Transform::folded);
}

}  // namespace
}  // namespace thence::weights
