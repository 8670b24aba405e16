// Two models held against each other.
#include <gtest/gtest.h>

#include "diff/diff.h"
#include "onnx_parts.h"
#include "pipeline/pipeline.h"

namespace thence::diff {
namespace {

using namespace test;
using Differences = std::vector<std::pair<DiffKind, std::string>>;

Message weight(std::string_view name, float first) {
  Message made;
  made.number(TensorField::dims, 2).number(TensorField::dims, 2).number(TensorField::data_type, 1);
  const float values[4] = {first, 0.5f, -3, 8};
  made.text(TensorField::raw_data, {reinterpret_cast<const char*>(values), sizeof values});
  return made.text(TensorField::name, name);
}

Message net(std::initializer_list<Message> nodes, float first = 2) {
  Message made = graph(nodes, {"x"}, {"y"});
  return made.inner(GraphField::initializer, weight("fc.weight", first));
}

Report report_of(const Message& a, const Message& b, const std::vector<DiffKind>& ignored = {}) {
  static std::string bytes_a, bytes_b;
  bytes_a = model(a).bytes();
  bytes_b = model(b).bytes();
  const Result<semantics::Map> one = pipeline::map_bytes(bytes_a, "a", {});
  const Result<semantics::Map> other = pipeline::map_bytes(bytes_b, "b", {});
  EXPECT_TRUE(one);
  EXPECT_TRUE(other);
  return compare(*one, *other, ignored);
}

Differences differences(const Report& report) {
  Differences found;
  for (const Difference& each : report.differences) found.emplace_back(each.kind, each.detail);
  return found;
}

const Message plain = net({node("MatMul", {"x", "fc.weight"}, {"a"}, "/fc/MatMul"),
                           node("Relu", {"a"}, {"b"}, "/act/Relu"), node("Tanh", {"b"}, {"y"}, "/out/Tanh")});

TEST(Compare, NamesAndOrderDoNotMatter) {
  const Message one = graph({node("Neg", {"x"}, {"a"}, "one"), node("Abs", {"x"}, {"b"}, "two"),
                             node("Add", {"a", "b"}, {"y"}, "three")},
                            {"x"}, {"y"});
  const Message other = graph(
      {node("Abs", {"x"}, {"q"}), node("Neg", {"x"}, {"p"}), node("Add", {"q", "p"}, {"y"})}, {"x"}, {"y"});
  const Report report = report_of(one, other);
  EXPECT_TRUE(report.same());
  EXPECT_EQ(report.same_nodes, 3u);
}

TEST(Compare, AnAddedNodeChangesNoOther) {
  const Report report = report_of(
      plain,
      net({node("MatMul", {"x", "fc.weight"}, {"a"}, "/fc/MatMul"), node("Relu", {"a"}, {"b"}, "/act/Relu"),
           node("Identity", {"b"}, {"c"}, "/act/Identity"), node("Tanh", {"c"}, {"y"}, "/out/Tanh")}));
  EXPECT_EQ(differences(report), (Differences{{DiffKind::added, "Identity"}}));
}

TEST(Compare, ReportsAnOperatorInPlaceOfAnother) {
  const Report report = report_of(
      plain, net({node("MatMul", {"x", "fc.weight"}, {"a"}, "/fc/MatMul"),
                  node("Sigmoid", {"a"}, {"b"}, "/act/Sigmoid"), node("Tanh", {"b"}, {"y"}, "/out/Tanh")}));
  EXPECT_FALSE(report.same());
  EXPECT_EQ(report.same_nodes, 2u);
}

TEST(Compare, WeightsAreComparedByContent) {
  const auto nodes = {node("MatMul", {"x", "fc.weight"}, {"a"}, "/fc/MatMul"),
                      node("Relu", {"a"}, {"b"}, "/act/Relu"), node("Tanh", {"b"}, {"y"}, "/out/Tanh")};
  const Report report = report_of(plain, net(nodes, 2.25f));
  EXPECT_EQ(differences(report), (Differences{{DiffKind::weights, "input 1: float32 2x2, other content"}}));
  EXPECT_EQ(report.modules[report.differences.front().module].path, "fc");
  EXPECT_TRUE(report_of(plain, net(nodes, 2.25f), {DiffKind::weights}).same());
}

TEST(Compare, AnIdentityOfAWeightIsThatWeight) {
  const Message other = net({node("Identity", {"fc.weight"}, {"w"}), node("MatMul", {"x", "w"}, {"a"}),
                             node("Relu", {"a"}, {"b"}), node("Tanh", {"b"}, {"y"})});
  EXPECT_TRUE(report_of(plain, other).same());
  EXPECT_TRUE(report_of(other, plain).same());
}

TEST(Compare, EqualNodesThatBecameOneAreFused) {
  const Message twice = graph(
      {node("Neg", {"x"}, {"a"}), node("Neg", {"x"}, {"b"}), node("Add", {"a", "b"}, {"y"})}, {"x"}, {"y"});
  const Message once = graph({node("Neg", {"x"}, {"a"}), node("Add", {"a", "a"}, {"y"})}, {"x"}, {"y"});
  EXPECT_EQ(differences(report_of(twice, once)), (Differences{{DiffKind::fused, "Neg + Neg -> Neg"}}));
  EXPECT_EQ(differences(report_of(once, twice)), (Differences{{DiffKind::split, "Neg -> Neg + Neg"}}));
}

TEST(Compare, TheSameOperationInAnotherModuleHasMoved) {
  const Report report = report_of(
      plain, net({node("MatMul", {"x", "fc.weight"}, {"a"}, "/fc/MatMul"),
                  node("Relu", {"a"}, {"b"}, "/block/act/Relu"), node("Tanh", {"b"}, {"y"}, "/out/Tanh")}));
  EXPECT_EQ(differences(report), (Differences{{DiffKind::moved, "act -> block.act"}}));
}

TEST(Compare, OutputsOfTheModelAreCompared) {
  const Report report = report_of(graph({node("Neg", {"x"}, {"y"})}, {"x"}, {"y"}),
                                  graph({node("Neg", {"x"}, {"z"})}, {"x"}, {"z"}));
  EXPECT_EQ(differences(report), (Differences{{DiffKind::renamed, "output y -> z"}}));
}

Message with_text(std::string_view text) {
  Message constant = node("Constant", {}, {"c"});
  constant.inner(NodeField::attribute, Message()
                                           .text(AttributeField::name, "value_string")
                                           .number(AttributeField::type, 3)
                                           .text(AttributeField::s, text));
  return graph({constant, node("Equal", {"x", "c"}, {"y"})}, {"x"}, {"y"});
}

TEST(Compare, TextsAreComparedByContent) {
  EXPECT_TRUE(report_of(with_text("one"), with_text("one")).same());
  EXPECT_EQ(
      report_of(with_text("one"), with_text("other")).counts[static_cast<std::size_t>(DiffKind::weights)],
      1u);
}

Message with_sparse(float value) {
  Message values, indices;
  values.number(TensorField::dims, 1).number(TensorField::data_type, 1).text(TensorField::name, "w");
  values.text(TensorField::raw_data, {reinterpret_cast<const char*>(&value), sizeof value});
  indices.number(TensorField::dims, 1).number(TensorField::data_type, 7).number(TensorField::int64_data, 3);
  Message sparse;
  sparse.inner(SparseTensorField::values, values).inner(SparseTensorField::indices, indices);
  sparse.number(SparseTensorField::dims, 8);
  Message made = graph({node("Mul", {"x", "w"}, {"y"})}, {"x"}, {"y"});
  return made.inner(GraphField::sparse_initializer, sparse);
}

TEST(Compare, SparseWeightsAreComparedByContent) {
  EXPECT_TRUE(report_of(with_sparse(1), with_sparse(1)).same());
  EXPECT_FALSE(report_of(with_sparse(1), with_sparse(2)).same());
}

// A loop in a loop; the inner one adds up what it is given, or what the outer one is.
Message loops(std::string_view added) {
  Message inner = node("Loop", {"n", "c", "i1"}, {"s"});
  inner.inner(NodeField::attribute,
              body("body", graph({node("Add", {"i2", added}, {"t"})}, {"k2", "c2", "i2"}, {"c2", "t"})));
  Message outer = node("Loop", {"n", "c", "x"}, {"y"});
  outer.inner(NodeField::attribute, body("body", graph({inner}, {"k1", "c1", "i1"}, {"c1", "s"})));
  return graph({outer}, {"n", "c", "x"}, {"y"});
}

TEST(Compare, DistinguishesNestedBodies) {
  EXPECT_TRUE(report_of(loops("i1"), loops("i1")).same());
  const Report report = report_of(loops("i1"), loops("i2"));
  EXPECT_EQ(differences(report), (Differences{{DiffKind::rewired, "input 1: i1 -> i2"}}));
}

TEST(Compare, ReportsModelsWithNothingInCommon) {
  const Message other = graph({node("Floor", {"x"}, {"a"}), node("Cos", {"a"}, {"y"})}, {"x"}, {"y"});
  EXPECT_TRUE(report_of(plain, other).nothing_in_common);
  EXPECT_FALSE(report_of(plain, plain).nothing_in_common);
}

TEST(Kinds, AreFoundByName) {
  for (std::size_t i = 0; i < diff_kind_count; ++i)
    EXPECT_EQ(diff_kind_of(name_of(static_cast<DiffKind>(i))), static_cast<DiffKind>(i));
  EXPECT_EQ(diff_kind_of("better"), std::nullopt);
}

}  // namespace
}  // namespace thence::diff
