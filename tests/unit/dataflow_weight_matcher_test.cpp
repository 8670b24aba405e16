// Weights that were quantised or rescaled are recognised by the correlation of their elements.
#include "dataflow/weight_matcher.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace thence::dataflow {
namespace {

constexpr std::uint64_t rows = 24, columns = 16;

// Numbers between -1 and 1.
std::vector<float> weight(unsigned seed) {
  std::vector<float> values(rows * columns);
  std::uint32_t state = seed * 2654435761u + 1;
  for (float& value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1;
  }
  return values;
}

template <class Element>
Constant constant(const std::vector<Element>& values, onnx::DataType type, std::uint64_t of_rows = rows) {
  Constant made;
  made.type = type;
  made.is_float = onnx::is_float(type);
  made.elements = values.size();
  made.rows = of_rows;
  made.stride = values.size() / of_rows;
  made.data = {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Element)};
  return made;
}

class WeightMatcherTest : public testing::Test {
 protected:
  WeightMatcherTest() {
    for (unsigned seed = 0; seed < 5; ++seed) values_.push_back(weight(seed));
    for (unsigned seed = 0; seed < 5; ++seed) {
      ancestor_.push_back(constant(values_[seed], onnx::DataType::float32));
      ancestor_.back().fingerprint = seed + 1;
    }
  }
  std::vector<float> changed(auto change) const {
    std::vector<float> values = values_[3];
    for (std::uint64_t i = 0; i < values.size(); ++i) values[i] = change(values[i], i / columns, i % columns);
    return values;
  }
  static double scale(std::uint64_t line) { return (line % 2 == 0 ? 1 : -1) * (0.05 + 0.3 * double(line)); }

  std::vector<std::vector<float>> values_;
  std::vector<Constant> ancestor_;
};

TEST_F(WeightMatcherTest, FindsAQuantisedWeight) {
  std::vector<std::int8_t> quantised;
  for (const float value : values_[3])
    quantised.push_back(static_cast<std::int8_t>(std::lround(value * 127)));
  const WeightMatch found = WeightMatcher(ancestor_).find(constant(quantised, onnx::DataType::int8));
  EXPECT_EQ(found.fingerprint, 4u);
  EXPECT_EQ(found.factor, 1);
  EXPECT_FALSE(found.is_rescaled);
}

TEST_F(WeightMatcherTest, FindsAFactor) {
  const auto halved = changed([](float value, auto, auto) { return value / 2; });
  const WeightMatch found = WeightMatcher(ancestor_).find(constant(halved, onnx::DataType::float32));
  EXPECT_EQ(found.fingerprint, 4u);
  EXPECT_NEAR(found.factor, 0.5, 1e-5);
}

TEST_F(WeightMatcherTest, FindsRescaledRowsAndColumns) {
  const auto by_row = changed([](float v, auto row, auto) { return v * static_cast<float>(scale(row)); });
  const auto by_column = changed([](float v, auto, auto at) { return v * static_cast<float>(scale(at)); });
  for (const std::vector<float>& values : {by_row, by_column}) {
    const WeightMatch found = WeightMatcher(ancestor_).find(constant(values, onnx::DataType::float32));
    EXPECT_EQ(found.fingerprint, 4u);
    EXPECT_TRUE(found.is_rescaled);
    EXPECT_EQ(found.factor, 1);
  }
}

TEST_F(WeightMatcherTest, FindsAWeightThatWasTransposedAndRescaled) {
  std::vector<float> turned(rows * columns);
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t at = 0; at < columns; ++at)
      turned[at * rows + row] = values_[3][row * columns + at] * static_cast<float>(scale(row));
  const WeightMatch found = WeightMatcher(ancestor_).find(constant(turned, onnx::DataType::float32, columns));
  EXPECT_EQ(found.fingerprint, 4u);
  EXPECT_TRUE(found.is_rescaled);
}

TEST_F(WeightMatcherTest, DoesNotFindAnUnrelatedWeight) {
  const std::vector<float> other = weight(77);
  EXPECT_EQ(WeightMatcher(ancestor_).find(constant(other, onnx::DataType::float32)).fingerprint, 0u);
}

TEST_F(WeightMatcherTest, DoesNotChooseBetweenSimilarWeights) {
  std::vector<float> almost = values_[3];
  almost[5] += 0.1f;
  ancestor_.push_back(constant(almost, onnx::DataType::float32));
  ancestor_.back().fingerprint = 99;
  const auto scaled = changed([](float v, auto row, auto) { return v * static_cast<float>(scale(row)); });
  EXPECT_EQ(WeightMatcher(ancestor_).find(constant(scaled, onnx::DataType::float32)).fingerprint, 0u);
}

}  // namespace
}  // namespace thence::dataflow
