// The numbers of constants, dequantised.
#include "diff/elements.h"

#include <gtest/gtest.h>

namespace thence::diff {
namespace {

template <class Number>
struct Stored {
  std::vector<Number> numbers;
  Tensor tensor;
  Stored(onnx::DataType type, std::vector<std::int64_t> dims, std::vector<Number> given)
      : numbers(std::move(given)) {
    tensor.type = type;
    tensor.dims = std::move(dims);
    tensor.elements = numbers.size();
    tensor.raw = {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
    tensor.is_read = true;
  }
};

std::vector<double> all(const std::optional<Elements>& elements) {
  std::vector<double> numbers;
  for (std::uint64_t i = 0; elements && i < elements->size(); ++i) numbers.push_back((*elements)[i]);
  return numbers;
}

TEST(Elements, HaveOneScalePerTensorPerAxisOrPerBlock) {
  const Stored<std::int8_t> stored(onnx::DataType::int8, {2, 4}, {1, 2, 3, 4, -1, -2, -3, -4});
  const Quantisation whole{.scales = {0.5}, .zero_points = {1}};
  EXPECT_EQ(all(Elements::of(stored.tensor, &whole)),
            (std::vector<double>{0, 0.5, 1, 1.5, -1, -1.5, -2, -2.5}));
  const Quantisation rows{.scales = {1, 10}, .axis = 0};
  EXPECT_EQ(all(Elements::of(stored.tensor, &rows)), (std::vector<double>{1, 2, 3, 4, -10, -20, -30, -40}));
  const Quantisation blocks{.scales = {1, 10, 100, 1000}, .axis = 1, .block = 2};
  EXPECT_EQ(all(Elements::of(stored.tensor, &blocks)),
            (std::vector<double>{1, 2, 30, 40, -100, -200, -3000, -4000}));
}

TEST(Elements, ScalesThatDoNotFitAreRefused) {
  const Stored<std::int8_t> stored(onnx::DataType::int8, {2, 4}, {1, 2, 3, 4, -1, -2, -3, -4});
  for (const Quantisation& wrong :
       {Quantisation{.scales = {1, 2, 3}, .axis = 0}, Quantisation{.scales = {1, 2}, .axis = 2},
        Quantisation{.scales = {1, 2}, .axis = -1}, Quantisation{.scales = {1, 2, 3}, .axis = 1, .block = 2}})
    EXPECT_FALSE(Elements::of(stored.tensor, &wrong));
}

TEST(Elements, AreNotReadPastTheEnd) {
  Stored<float> stored(onnx::DataType::float32, {4}, {1, 2, 3, 4});
  stored.tensor.elements = 5;
  EXPECT_FALSE(Elements::of(stored.tensor));
  stored.tensor.elements = std::uint64_t{1} << 62;
  EXPECT_FALSE(Elements::of(stored.tensor));
  stored.tensor.elements = 4;
  EXPECT_TRUE(Elements::of(stored.tensor));
  stored.tensor.is_read = false;
  EXPECT_FALSE(Elements::of(stored.tensor));
}

TEST(AreRounded, AcceptsRoundingAndNothingElse) {
  const Stored<float> bias(onnx::DataType::float32, {3}, {0.1f, -0.25f, 100});
  const Quantisation scale{.scales = {0.001}};
  const auto numbers = Elements::of(bias.tensor);
  const auto agrees = [&](std::vector<std::int32_t> integers) {
    const Stored<std::int32_t> stored(onnx::DataType::int32, {3}, std::move(integers));
    return are_rounded(*numbers, *Elements::of(stored.tensor, &scale));
  };
  EXPECT_TRUE(agrees({100, -250, 100000}));
  EXPECT_TRUE(agrees({101, -250, 100000}));
  EXPECT_FALSE(agrees({102, -250, 100000}));
  EXPECT_FALSE(agrees({100, 250, 100000}));
}

TEST(AreRounded, AcceptsNumbersThatDoNotFit) {
  const Stored<float> bias(onnx::DataType::float32, {1}, {1e10f});
  const Stored<std::int32_t> cut(onnx::DataType::int32, {1}, {2147483647});
  const Quantisation scale{.scales = {0.001}}, zero{.scales = {0}};
  EXPECT_TRUE(are_rounded(*Elements::of(bias.tensor), *Elements::of(cut.tensor, &scale)));
  EXPECT_FALSE(are_rounded(*Elements::of(bias.tensor), *Elements::of(cut.tensor, &zero)));
}

}  // namespace
}  // namespace thence::diff
