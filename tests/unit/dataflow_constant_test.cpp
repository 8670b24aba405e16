// Constants are recognised by their fingerprints after a rewrite.
#include "dataflow/constant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "onnx_parts.h"

namespace thence::dataflow {
namespace {

constexpr std::uint64_t float32 = 1, float16 = 10, int8 = 3, int4 = 22;

std::string tensor_of(std::uint64_t type, std::vector<std::uint64_t> dims, const std::string& raw) {
  test::Message made;
  for (const std::uint64_t size : dims) made.number(onnx::TensorField::dims, size);
  made.number(onnx::TensorField::data_type, type);
  return made.text(onnx::TensorField::raw_data, raw).bytes();
}

std::string floats(const std::vector<float>& values) {
  std::string raw(values.size() * sizeof(float), '\0');
  std::memcpy(raw.data(), values.data(), raw.size());
  return raw;
}

Constant read(const std::string& tensor) { return constant_of(onnx::Pieces{std::string_view(tensor)}); }

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i) * 0.25f - 3;
  return values;
}

TEST(Constant, FingerprintDoesNotDependOnOrder) {
  std::vector<float> values = counting(64);
  const std::string straight = tensor_of(float32, {8, 8}, floats(values));
  std::reverse(values.begin(), values.end());
  const std::string turned = tensor_of(float32, {8, 8}, floats(values));
  EXPECT_EQ(read(straight).fingerprint, read(turned).fingerprint);
  values[5] += 1;
  EXPECT_NE(read(straight).fingerprint, read(tensor_of(float32, {8, 8}, floats(values))).fingerprint);
}

TEST(Constant, FingerprintSurvivesACast) {
  const std::string one = tensor_of(float32, {1}, floats({1.5f}));
  const std::string half = tensor_of(float16, {1}, std::string("\x00\x3e", 2));  // 1.5
  EXPECT_EQ(read(one).fingerprint, read(half).fingerprint);
  EXPECT_EQ(read(half).scalar, 1.5);
}

TEST(Constant, ShortDataIsNotRead) {
  EXPECT_EQ(read(tensor_of(float32, {8, 8}, floats(counting(63)))).fingerprint, 0u);
  EXPECT_EQ(read(tensor_of(float32, {1ull << 40, 1ull << 40}, "")).fingerprint, 0u);
}

TEST(Constant, DataInPiecesIsNoWeight) {
  const std::string raw = floats(counting(64));
  const std::string whole = tensor_of(float32, {8, 8}, raw);
  const std::string pieces = tensor_of(float32, {8, 8}, raw.substr(0, 128)) +
                             test::Message().text(onnx::TensorField::raw_data, raw.substr(128)).bytes();
  EXPECT_TRUE(read(whole).may_be_weight());
  EXPECT_FALSE(read(pieces).may_be_weight());
  EXPECT_EQ(read(whole).fingerprint, read(pieces).fingerprint);
}

TEST(Constant, ColumnsAreASeparateTensor) {
  const std::vector<float> left = counting(16), right(16, 7);
  std::vector<float> both;
  for (std::size_t row = 0; row < 4; ++row) {
    both.insert(both.end(), left.begin() + row * 4, left.begin() + row * 4 + 4);
    both.insert(both.end(), right.begin() + row * 4, right.begin() + row * 4 + 4);
  }
  const std::string merged = tensor_of(float32, {4, 8}, floats(both));
  const Constant whole = read(merged);
  EXPECT_EQ(columns_of(whole, 0, 4).fingerprint, read(tensor_of(float32, {4, 4}, floats(left))).fingerprint);
  EXPECT_EQ(columns_of(whole, 4, 4).fingerprint, read(tensor_of(float32, {4, 4}, floats(right))).fingerprint);
  EXPECT_EQ(columns_of(whole, 4, 5).fingerprint, 0u);
}

TEST(Constant, ElementsCanBeRead) {
  const std::string halves =
      tensor_of(float16, {2, 8}, std::string("\x00\x3e\x00\xbc", 4) + std::string(28, '\0'));
  const Constant half = read(halves);
  ASSERT_TRUE(half.is_readable());
  EXPECT_EQ(half.element(0), 1.5);
  EXPECT_EQ(half.element(1), -1);
  const std::string fours = tensor_of(int4, {4, 4}, std::string("\xf1\x87", 2) + std::string(6, '\0'));
  const Constant four = read(fours);
  ASSERT_TRUE(four.is_readable());
  EXPECT_EQ(four.element(0), 1);
  EXPECT_EQ(four.element(1), -1);
  EXPECT_EQ(four.element(2), 7);
  EXPECT_EQ(four.element(3), -8);
  EXPECT_EQ(four.element(15), 0);
  EXPECT_FALSE(read(tensor_of(int4, {4, 4}, std::string(7, '\0'))).is_readable());
}

TEST(Constant, IntegersHaveNoColumns) {
  const std::string quantised = tensor_of(int8, {8, 8}, std::string(64, 'x'));
  EXPECT_EQ(columns_of(read(quantised), 0, 4).fingerprint, 0u);
}

}  // namespace
}  // namespace thence::dataflow
