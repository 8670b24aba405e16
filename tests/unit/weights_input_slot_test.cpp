#include "weights/input_slot.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::weights {
namespace {

std::string slot(const test::Message& node, std::uint32_t input, std::uint32_t layer = 0) {
  const test::ReadModel read(test::model(test::graph({node})));
  const auto found = slot_of(read.model().node(0), input, layer);
  if (!found) return "none";
  std::string text(name_of(found->transform));
  for (const std::string& name : found->names) text += " " + name;
  return text;
}

TEST(InputSlot, OfAProductIsATransposedWeight) {
  EXPECT_EQ(slot(test::node("MatMul", {"x", "w"}, {"y"}), 1), "transposed weight");
  EXPECT_EQ(slot(test::node("MatMul", {"x", "w"}, {"y"}), 0), "none");
  EXPECT_EQ(slot(test::node("Gemm", {"x", "w", "b"}, {"y"}), 2), "identity bias");
}

TEST(InputSlot, OfAConvolutionWithoutAName) {
  EXPECT_EQ(slot(test::node("Conv", {"x", "w", "b"}, {"y"}), 1), "folded with weight");
  EXPECT_EQ(slot(test::node("Conv", {"x", "w", "b"}, {"y"}), 2), "folded with bias");
}

TEST(InputSlot, OfARecurrentLayer) {
  EXPECT_EQ(slot(test::node("LSTM", {"x", "w", "r", "b"}, {"y"}), 1), "transposed weight_ih_l0");
  EXPECT_EQ(slot(test::node("LSTM", {"x", "w", "r", "b"}, {"y"}), 2, 1), "transposed weight_hh_l1");
  EXPECT_EQ(slot(test::node("GRU", {"x", "w", "r", "b"}, {"y"}), 3), "concatenated bias_ih_l0 bias_hh_l0");
}

TEST(InputSlot, OfOtherOperatorsIsUnknown) {
  EXPECT_EQ(slot(test::node("Add", {"x", "w"}, {"y"}), 1), "none");
  EXPECT_EQ(slot(test::node("Where", {"c", "x", "w"}, {"y"}), 2), "none");
}

}  // namespace
}  // namespace thence::weights
