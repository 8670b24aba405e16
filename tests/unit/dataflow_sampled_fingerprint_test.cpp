// Large weights that both models hold unchanged need not be read whole.
#include "dataflow/sampled_fingerprint.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "onnx_parts.h"

namespace thence::dataflow {
namespace {

constexpr std::size_t large = 1u << 18;  // bytes

std::string weight_bytes(unsigned seed, std::size_t bytes = large) {
  std::string raw(bytes, '\0');
  std::uint32_t state = seed;
  for (char& each : raw) {
    state = state * 1664525 + 1013904223;
    each = static_cast<char>(state >> 24);
  }
  return raw;
}

std::string tensor_of(const std::string& raw) {
  test::Message made;
  made.number(onnx::TensorField::dims, raw.size() / 4).number(onnx::TensorField::data_type, 1);
  return made.text(onnx::TensorField::raw_data, raw).text(onnx::TensorField::name, "w").bytes();
}

struct Held {
  std::string bytes;
  Diagnostics diagnostics;
  onnx::Model model;

  explicit Held(const std::vector<std::string>& weights)
      : bytes([&] {
          test::Message graph = test::graph({test::node("Relu", {"x"}, {"y"})}, {"x"}, {"y"});
          for (const std::string& raw : weights) graph.text(onnx::GraphField::initializer, tensor_of(raw));
          return test::model(graph).bytes();
        }()),
        model(*onnx::Model::read(bytes, "test", diagnostics)) {}
};

// What is seen of each weight of the descendant.
std::vector<std::uint64_t> seen(const std::vector<std::string>& ancestor,
                                const std::vector<std::string>& descendant) {
  const Held theirs(ancestor), ours(descendant);
  const SampledFingerprint samples(theirs.model, ours.model);
  std::vector<std::uint64_t> codes;
  for (const std::string& raw : descendant) {
    const std::string tensor = tensor_of(raw);
    const onnx::Pieces message{std::string_view(tensor)};
    const onnx::TensorView header = onnx::read_tensor(message);
    codes.push_back(samples.of(header, elements_of(message, header, nullptr)));
  }
  return codes;
}

TEST(SampledFingerprint, IsEnoughIfBothModelsHaveTheSameWeights) {
  const auto codes = seen({weight_bytes(1), weight_bytes(2)}, {weight_bytes(2), weight_bytes(1)});
  EXPECT_NE(codes[0], 0u);
  EXPECT_NE(codes[1], 0u);
  EXPECT_NE(codes[0], codes[1]);
}

TEST(SampledFingerprint, IsNotEnoughIfAWeightWasChanged) {
  std::string changed = weight_bytes(1);
  for (char& each : changed) each = static_cast<char>(each ^ 1);
  EXPECT_EQ(seen({weight_bytes(1), weight_bytes(2)}, {changed, weight_bytes(2)}),
            (std::vector<std::uint64_t>{0, 0}));
}

TEST(SampledFingerprint, IsNotEnoughIfAWeightWasRemoved) {
  EXPECT_EQ(seen({weight_bytes(1), weight_bytes(2)}, {weight_bytes(1)}), std::vector<std::uint64_t>{0});
}

TEST(SampledFingerprint, IsNotEnoughIfTwoWeightsHaveTheSameSamples) {
  std::string other = weight_bytes(1);
  other[5000] ^= 1;  // between the places that are looked at
  EXPECT_EQ(seen({weight_bytes(1), other}, {weight_bytes(1), other}), (std::vector<std::uint64_t>{0, 0}));
}

TEST(SampledFingerprint, EachSizeIsDecidedSeparately) {
  std::string changed = weight_bytes(3, 2 * large);
  for (char& each : changed) each = static_cast<char>(each ^ 1);
  const auto codes = seen({weight_bytes(1), weight_bytes(3, 2 * large)}, {weight_bytes(1), changed});
  EXPECT_NE(codes[0], 0u);
  EXPECT_EQ(codes[1], 0u);
}

TEST(SampledFingerprint, SmallWeightsAreReadWhole) {
  EXPECT_EQ(seen({weight_bytes(1, 1024)}, {weight_bytes(1, 1024)}), std::vector<std::uint64_t>{0});
}

}  // namespace
}  // namespace thence::dataflow
