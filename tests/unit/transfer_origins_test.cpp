// The nodes of the ancestor that each node comes from.
#include "transfer/origins.h"

#include <gtest/gtest.h>

#include "transfer_pair.h"

namespace thence::transfer {
namespace {

using namespace test;
using Nodes = std::vector<onnx::NodeId>;

// "computes 1 0": the kind of an origin and its nodes.
std::string text_of(const Origin& origin) {
  constexpr const char* kinds[] = {"unknown",  "ambiguous", "computes",        "view",
                                   "inserted", "feeds",     "feeds_indirectly"};
  std::string text = kinds[static_cast<std::size_t>(origin.kind)];
  if (origin.kind != OriginKind::unknown)
    for (const onnx::NodeId node : origin.nodes) text += " " + std::to_string(node);
  return text;
}

std::vector<std::string> origins_of(const Message& before, const Message& after) {
  std::vector<std::string> found;
  const ModelPair pair(before, after);
  for (const Origin& origin : pair.origins()) found.push_back(text_of(origin));
  return found;
}

using Texts = std::vector<std::string>;

TEST(Origins, OfOperationsAndViews) {
  EXPECT_EQ(origins_of(
                graph({node("Exp", {"x"}, {"a"}), node("Transpose", {"a"}, {"b"}), node("Sin", {"b"}, {"y"})},
                      {"x"}, {"y"}),
                graph({node("Exp", {"x"}, {"p"}), node("Transpose", {"p"}, {"q"}), node("Cast", {"q"}, {"r"}),
                       node("Sin", {"r"}, {"s"})},
                      {"x"}, {"s"})),
            (Texts{"computes 0", "view 1", "inserted 1", "computes 2"}));
}

TEST(Origins, OfAFusedNodeAreAllItsOperations) {
  EXPECT_EQ(origins_of(graph({node("Exp", {"x"}, {"a"}), node("Tan", {"a"}, {"y"})}, {"x"}, {"y"}),
                       graph({node("ExpTan", {"x"}, {"y"})}, {"x"}, {"y"})),
            (Texts{"computes 1 0"}));
}

TEST(Origins, OfTheNodesThatOneWasSplitInto) {
  EXPECT_EQ(
      origins_of(graph({node("ExpTan", {"x"}, {"y"})}, {"x"}, {"y"}),
                 graph({node("Exp", {"x"}, {"p"}), node("Flatten", {"p"}, {"q"}), node("Tan", {"q"}, {"y"})},
                       {"x"}, {"y"})),
      (Texts{"computes 0", "computes 0", "computes 0"}));
}

TEST(Origins, OfEqualExpressionsWithoutUsesAreAmbiguous) {
  EXPECT_EQ(origins_of(graph({node("Exp", {"x"}, {"a"}), node("Exp", {"x"}, {"b"})}, {"x"}, {"a", "b"}),
                       graph({node("Exp", {"x"}, {"p"})}, {"x"}, {"p"})),
            (Texts{"ambiguous 1 0"}));
}

TEST(Origins, OfUnrelatedNodesAreUnknown) {
  EXPECT_EQ(origins_of(graph({node("Exp", {"x"}, {"a"})}, {"x"}, {"a"}),
                       graph({node("Exp", {"x"}, {"p"}), node("Sin", {"p"}, {"q"})}, {"x"}, {"p", "q"})),
            (Texts{"computes 0", "unknown"}));
}

TEST(Origins, OfConstantsAndShapesAreThoseOfTheirUses) {
  // The ancestor has no such constants: what they feed decides.
  const auto with_value = [](Message constant) {
    return constant.inner(NodeField::attribute, Message()
                                                    .text(AttributeField::name, "value_float")
                                                    .number(AttributeField::type, 1)
                                                    .fixed32(AttributeField::f, 3));
  };
  EXPECT_EQ(origins_of(with_initializers(
                           graph({node("Exp", {"x"}, {"a"}), node("Pow", {"a", "u"}, {"y"})}, {"x"}, {"y"}),
                           {weight("u", 1)}),
                       graph({node("Exp", {"x"}, {"p"}), with_value(node("Constant", {}, {"c"})),
                              node("Sqrt", {"c"}, {"d"}), node("Pow", {"p", "d"}, {"y"})},
                             {"x"}, {"y"})),
            (Texts{"computes 0", "feeds_indirectly 1", "feeds 1", "computes 1"}));
}

TEST(Origins, OfShapesAreTheSameOperandOfTheSameOperator) {
  const auto reshaped = [](std::string_view shape, std::string_view output) {
    return graph({node("Exp", {"x"}, {"a"}), node("Shape", {"x"}, {shape}), node("Shape", {"a"}, {"other"}),
                  node("Pow", {"a", shape}, {output}), node("Sub", {output, "other"}, {"y"})},
                 {"x"}, {"y"});
  };
  EXPECT_EQ(origins_of(reshaped("s", "b"), reshaped("t", "c")),
            (Texts{"computes 0", "computes 1", "computes 2", "computes 3", "computes 4"}));
}

// A mean over one element: an optimiser that knows the sizes drops the axis instead.
TEST(Origins, OfAViewAreTheReductionThatItReplaces) {
  const auto with = [](const Message& middle) {
    Message made = graph({node("Exp", {"x"}, {"a"}), middle, node("Sin", {"b"}, {"y"})}, {}, {"y"});
    made.inner(GraphField::input, shaped_input("x", {4, 1, 3}));
    return with_initializers(made, {integers("axis", {1})});
  };
  const auto reduced = [&](std::string_view op, std::uint64_t keeps_axes) {
    return with(with_int(node(op, {"a", "axis"}, {"b"}), "keepdims", keeps_axes));
  };
  const Message squeezed = with(node("Squeeze", {"a", "axis"}, {"b"}));
  EXPECT_EQ(origins_of(reduced("ReduceMean", 0), squeezed)[1], "view 1");
  EXPECT_NE(origins_of(reduced("ReduceL2", 0), squeezed)[1], "view 1");  // of one number, its magnitude
  // An axis that is kept leaves nothing to replace.
  EXPECT_NE(origins_of(reduced("ReduceMean", 1), with(node("ReorderOutput", {"a"}, {"b"})))[1], "view 1");
}

TEST(Origins, OfUnusedResultsAreThoseOfTheirProducer) {
  EXPECT_EQ(origins_of(graph({node("Exp", {"x"}, {"y"})}, {"x"}, {"y"}),
                       graph({node("Exp", {"x"}, {"y"}), node("Sin", {"y"}, {"unused"})}, {"x"}, {"y"})),
            (Texts{"computes 0", "inserted 0"}));
}

TEST(Origins, OfNodesInABodyAreThoseOfTheSameBody) {
  const auto branching = [](const Message& then_branch) {
    return graph({node("If", {"x"}, {"y"}).inner(NodeField::attribute, body("then_branch", then_branch))},
                 {"x"}, {"y"});
  };
  const Message before = branching(graph({node("Foo", {"x"}, {"a"}), node("Bar", {"a"}, {"b"})}, {}, {"b"}));
  const Message same = branching(graph({node("Foo", {"x"}, {"p"}), node("Bar", {"p"}, {"q"})}, {}, {"q"}));
  EXPECT_EQ(origins_of(before, same), (Texts{"computes 0", "computes 1", "computes 2"}));
}

TEST(Origins, AScaleThatWasFoldedIntoAWeightIsPrimary) {
  const Message before = with_initializers(
      graph({node("MatMul", {"x", "w"}, {"a"}), node("Mul", {"a", "c"}, {"b"}), node("Sin", {"b"}, {"y"})},
            {"x"}, {"y"}),
      {weight("w", 1), scalar("c", 2)});
  Message doubled = weight("w", 1);
  {
    const ReadModel read(
        exported(with_initializers(graph({node("Exp", {"x"}, {"y"})}, {"x"}, {"y"}), {weight("w", 1)})));
    const Pieces tensor{read.model().initializers()[0].bytes};
    std::string data(dataflow::elements_of(tensor, onnx::read_tensor(tensor), nullptr));
    for (std::size_t at = 0; at < data.size(); at += 4) {
      float value = 0;
      std::memcpy(&value, data.data() + at, 4);
      value *= 2;
      std::memcpy(data.data() + at, &value, 4);
    }
    doubled = Message()
                  .number(TensorField::dims, 8)
                  .number(TensorField::dims, 4)
                  .number(TensorField::data_type, 1)
                  .text(TensorField::raw_data, data)
                  .text(TensorField::name, "w");
  }
  const auto projected = [](const Message& tensor) {
    return with_initializers(
        graph({node("MatMul", {"x", "w"}, {"p"}), node("Sin", {"p"}, {"q"})}, {"x"}, {"q"}), {tensor});
  };
  EXPECT_EQ(origins_of(before, projected(doubled)), (Texts{"computes 1 0", "computes 2"}));
  EXPECT_EQ(origins_of(before, projected(weight("w", 1))), (Texts{"computes 0", "computes 2"}));
}

TEST(Origins, AViewWhoseNameSurvivedIsThatView) {
  // Both transposes are views of one value; their names tell which was removed.
  const Message before = graph({node("Exp", {"x"}, {"a"}), node("Transpose", {"a"}, {"b"}),
                                node("Transpose", {"b"}, {"c"}), node("Sin", {"c"}, {"y"})},
                               {"x"}, {"y"});
  const auto remaining = [&](std::string_view name) {
    return origins_of(before, graph({node("Exp", {"x"}, {"p"}), node("Transpose", {"p"}, {name}),
                                     node("Sin", {name}, {"q"})},
                                    {"x"}, {"q"}));
  };
  EXPECT_EQ(remaining("b")[1], "view 1");
  EXPECT_EQ(remaining("c")[1], "view 2");
}

}  // namespace
}  // namespace thence::transfer
