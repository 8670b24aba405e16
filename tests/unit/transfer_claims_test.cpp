// What is claimed of tensors, and what becomes of nodes whose claim is refuted.
#include "transfer/claims.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"
#include "transfer/transfer.h"

namespace thence::transfer {
namespace {

using evidence::Verification;
using test::graph;
using test::model;
using test::node;

class Claims : public testing::Test {
 protected:
  // Two models, of which one computes the same with a reshape more, and something in a body.
  std::string before =
      model(graph({node("Relu", {"x"}, {"a"}, "/fc/Relu"), node("Exp", {"a"}, {"b"}, "/act/Exp"),
                   node("Neg", {"b"}, {"c"}, "/act/Neg"), node("Add", {"c", "a"}, {"y"}, "/fc/Add")},
                  {"x"}, {"y"}))
          .bytes();
  std::string after =
      model(graph({node("Relu", {"x"}, {"p"}), node("Reshape", {"p", "size"}, {"q"}),
                   node("Exp", {"p"}, {"r"}), node("Neg", {"r"}, {"s"}), node("Add", {"s", "p"}, {"y"})},
                  {"x", "size"}, {"y"}))
          .bytes();
  Diagnostics diagnostics;
  Result<onnx::Model> ancestor = onnx::Model::read(before, "before.onnx", diagnostics);
  Result<onnx::Model> descendant = onnx::Model::read(after, "after.onnx", diagnostics);

  // The claims as text, with a verifier that refutes those about a value.
  Verifier refusing(std::string_view value, std::vector<std::string>& told) {
    return [value, &told](const std::vector<Claim>& claims, const onnx::Model& theirs,
                          const onnx::Model& ours) -> Result<Verification> {
      Verification found{.claims = claims.size()};
      for (std::size_t i = 0; i < claims.size(); ++i) {
        std::string text;
        for (const std::string& name : test::names_of(ours, claims[i].ours)) text += name + " ";
        text += "=";
        for (const std::string& name : test::names_of(theirs, claims[i].theirs)) text += " " + name;
        told.push_back(text);
        if (text.starts_with(value)) found.refuted.push_back({.claim = i});
      }
      return found;
    };
  }
};

TEST_F(Claims, ListEachTensorWithItsViews) {
  std::vector<std::string> told;
  ASSERT_TRUE(match_models(*ancestor, *descendant, refusing("nothing", told)));
  EXPECT_EQ(told, (std::vector<std::string>{"p q = a", "r = b", "s = c", "y = y"}));
}

TEST_F(Claims, RefutedNodesLoseTheirMatch) {
  std::vector<std::string> told;
  const Result<Matches> matches = match_models(*ancestor, *descendant, refusing("p", told));
  ASSERT_TRUE(matches);
  const auto is_matched = [&](onnx::NodeId id) { return matches->origins[id].kind != OriginKind::unknown; };
  EXPECT_FALSE(is_matched(0));
  EXPECT_FALSE(is_matched(1));  // a view of it
  EXPECT_TRUE(is_matched(2));
  EXPECT_TRUE(is_matched(4));
  EXPECT_EQ(matches->refuted, (std::vector<bool>{true, true, false, false, false}));
  ASSERT_TRUE(matches->verification);
  EXPECT_EQ(matches->verification->claims, 4u);
}

TEST_F(Claims, WithoutAVerifierNothingIsVerified) {
  const Result<Matches> matches = match_models(*ancestor, *descendant);
  ASSERT_TRUE(matches);
  EXPECT_FALSE(matches->verification);
  EXPECT_EQ(matches->origins[0].kind, OriginKind::computes);
}

TEST_F(Claims, AnErrorOfTheVerifierIsReturned) {
  const Result<Matches> matches = match_models(
      *ancestor, *descendant,
      [](const auto&, const auto&, const auto&) -> Result<Verification> { return Error{.code = "F005"}; });
  ASSERT_FALSE(matches);
  EXPECT_EQ(matches.error().code, "F005");
}

}  // namespace
}  // namespace thence::transfer
