#include "weights/account.h"

#include <gtest/gtest.h>

#include "evidence_parts.h"
#include "pipeline/pipeline.h"
#include "weights/trace.h"

namespace thence::weights {
namespace {

using test::Lines;
using test::node;

std::string_view counted_as(CountedAs kind) {
  switch (kind) {
    case CountedAs::parameter: return "parameter";
    case CountedAs::buffer: return "buffer";
    default: return "constant";
  }
}

// "module elements kind" of every share, of a model without its live one.
Lines shares(test::Message graph, const std::vector<test::Message>& initializers) {
  for (const test::Message& each : initializers) graph.inner(onnx::GraphField::initializer, each);
  const std::string bytes = test::model(graph).bytes();
  const Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});
  if (!map) return {"no map"};
  const Account account = account_for_parameters(*map, trace_weights(*map));
  EXPECT_FALSE(account.has_live_model);
  Lines lines;
  for (const Share& share : account.shares) {
    const std::string path =
        share.module == modules::no_module ? "-" : std::string(map->tree()[share.module].path);
    lines.push_back(path + " " + std::to_string(share.elements) + " " +
                    std::string(counted_as(share.counted_as)));
  }
  return lines;
}

TEST(Account, AWeightWithoutANameCountsForItsConsumer) {
  EXPECT_EQ(shares(test::graph({node("Gemm", {"x", "a.fc.weight", "a.fc.bias"}, {"p"}, "/a/fc/Gemm"),
                                node("MatMul", {"p", "onnx::MatMul_1"}, {"y"}, "/a/fc/MatMul")}),
                   {test::weight("a.fc.weight", {4, 4}), test::weight("a.fc.bias", {4}),
                    test::weight("onnx::MatMul_1", {4, 4})}),
            (Lines{"a.fc 16 parameter", "a.fc 4 parameter", "a.fc 16 parameter"}));
}

TEST(Account, KnowsTheBuffersOfNorms) {
  EXPECT_EQ(shares(test::graph({node("BatchNormalization",
                                     {"x", "bn.weight", "bn.bias", "bn.running_mean", "bn.running_var"},
                                     {"y"}, "/bn/BatchNormalization")}),
                   {test::weight("bn.weight", {4}), test::weight("bn.bias", {4}),
                    test::weight("bn.running_mean", {4}), test::weight("bn.running_var", {4})}),
            (Lines{"bn 4 parameter", "bn 4 parameter", "bn 4 buffer", "bn 4 buffer"}));
}

TEST(Account, AScalarIsAConstant) {
  EXPECT_EQ(shares(test::graph({node("Mul", {"x", "onnx::Mul_7"}, {"y"}, "/a/Mul")}),
                   {test::weight("onnx::Mul_7", {1})}),
            (Lines{"a 1 constant"}));
}

TEST(AccountRow, AParameterIsInTheFileFoldedOrAbsent) {
  AccountRow row{.elements = 8};
  EXPECT_EQ(row.absent(), 8u);
  row.is_folded = true;
  EXPECT_EQ(row.folded(), 8u);
  EXPECT_EQ(row.absent(), 0u);
  row.in_file = 6;  // a part is stored: what is missing was not computed into another
  EXPECT_EQ(row.folded(), 0u);
  EXPECT_EQ(row.absent(), 2u);
}

}  // namespace
}  // namespace thence::weights
