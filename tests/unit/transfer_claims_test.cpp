// What is claimed of tensors, and what becomes of nodes whose claim is refuted.
#include "transfer/claims.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"
#include "transfer/transfer.h"

namespace thence::transfer {
namespace {

using resolve::Reason;
using resolve::Verification;
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
  Result<semantics::Map> ancestor = semantics::Map::make(before, "before.onnx", {});
  Diagnostics diagnostics;
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

TEST_F(Claims, EachTensorWithItsForms) {
  std::vector<std::string> told;
  Share share;
  ASSERT_TRUE(lend(*ancestor, *descendant, share, refusing("nothing", told)));
  EXPECT_EQ(told, (std::vector<std::string>{"p q = a", "r = b", "s = c", "y = y"}));
}

TEST_F(Claims, WhatIsRefutedIsNotLent) {
  std::vector<std::string> told;
  Share share;
  const Result<resolve::Lent> lent = lend(*ancestor, *descendant, share, refusing("p", told));
  ASSERT_TRUE(lent);
  const auto reason = [&](onnx::NodeId id) { return lent->answers[id].reason; };
  EXPECT_EQ(reason(0), Reason::refuted);
  EXPECT_EQ(reason(1), Reason::refuted);  // another form of it
  EXPECT_EQ(reason(2), Reason::none);
  EXPECT_EQ(reason(4), Reason::none);
  EXPECT_EQ(lent->nodes_of(0).size(), 0u);
  ASSERT_EQ(lent->verifications.size(), 1u);
  EXPECT_EQ(lent->verifications[0].claims, 4u);
}

TEST_F(Claims, WithoutAVerifierNothingIsVerified) {
  Share share;
  const Result<resolve::Lent> lent = lend(*ancestor, *descendant, share);
  ASSERT_TRUE(lent);
  EXPECT_TRUE(lent->verifications.empty());
  EXPECT_EQ(lent->answers[0].reason, Reason::none);
}

TEST_F(Claims, AFailedVerifierFailsTheWhole) {
  Share share;
  const Result<resolve::Lent> lent = lend(
      *ancestor, *descendant, share,
      [](const auto&, const auto&, const auto&) -> Result<Verification> { return Error{.code = "F005"}; });
  ASSERT_FALSE(lent);
  EXPECT_EQ(lent.error().code, "F005");
}

}  // namespace
}  // namespace thence::transfer
