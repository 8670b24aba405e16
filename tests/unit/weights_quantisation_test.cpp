#include "weights/quantisation.h"

#include <gtest/gtest.h>

#include "evidence_parts.h"

namespace thence::weights {
namespace {

// The role of each initializer, and the names of its weights.
test::Lines roles_of(test::Message graph, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    graph.inner(onnx::GraphField::initializer, test::weight(name, {2, 2}));
  const test::ReadModel read(test::model(graph));
  test::Lines lines;
  const std::vector<QuantisationRole> roles = find_quantisation_roles(read.model());
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i].role == Transform::none) continue;
    std::string line = names[i] + " " + std::string(name_of(roles[i].role));
    for (const std::uint32_t weight : roles[i].weights) line += " " + names[weight];
    lines.push_back(line);
  }
  return lines;
}

TEST(QuantisationRoles, BelongToTheirWeight) {
  EXPECT_EQ(roles_of(test::graph({test::node("DequantizeLinear", {"w", "s", "z"}, {"d"}),
                                  test::node("MatMul", {"x", "d"}, {"y"})}),
                     {"w", "s", "z"}),
            (test::Lines{"s scale of w", "z zero point of w"}));
}

TEST(QuantisationRoles, BelongToNoWeightIfTheTensorIsAnActivation) {
  EXPECT_EQ(roles_of(test::graph({test::node("QuantizeLinear", {"x", "s", "z"}, {"q"})}), {"s", "z"}),
            (test::Lines{"s scale of", "z zero point of"}));
}

TEST(QuantisationRoles, OfSeveralTensorsInOneOperator) {
  EXPECT_EQ(roles_of(test::graph({test::node("QLinearConv",
                                             {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"}, {"y"})}),
                     {"xs", "xz", "w", "ws", "wz", "ys", "yz", "b"}),
            (test::Lines{"xs scale of", "xz zero point of", "ws scale of w", "wz zero point of w",
                         "ys scale of", "yz zero point of"}));
}

TEST(QuantisationRoles, OfScalesThatAreMultipliedAfterTheProduct) {
  EXPECT_EQ(roles_of(test::graph({test::node("MatMulInteger", {"x", "w", "xz", "z"}, {"p"}),
                                  test::node("Mul", {"xs", "s"}, {"f"}), test::node("Cast", {"p"}, {"c"}),
                                  test::node("Mul", {"c", "f"}, {"y"})}),
                     {"w", "z", "s"}),
            (test::Lines{"z zero point of w", "s scale of w"}));
}

TEST(QuantisationRoles, OfConcatenatedTensors) {
  EXPECT_EQ(roles_of(test::graph({test::node("QLinearConcat", {"ys", "yz", "a", "as", "az"}, {"y"})}),
                     {"ys", "yz", "as", "az"}),
            (test::Lines{"ys scale of", "yz zero point of", "as scale of", "az zero point of"}));
}

TEST(QuantisationRoles, FollowFromNamesIfTheOperatorIsUnknown) {
  EXPECT_EQ(roles_of(test::graph({test::node(
                         "Custom",
                         {"x", "a.weight_quantized", "a.weight_scale", "a.weight_zero_point", "logit_scale"},
                         {"y"})}),
                     {"a.weight_quantized", "a.weight_scale", "a.weight_zero_point", "logit_scale"}),
            (test::Lines{"a.weight_scale scale of a.weight_quantized",
                         "a.weight_zero_point zero point of a.weight_quantized"}));
}

}  // namespace
}  // namespace thence::weights
