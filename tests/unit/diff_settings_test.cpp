// The settings of a node: attributes, and constants that replace them in other versions of an operator.
#include "diff/settings.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::diff {
namespace {

using namespace test;

Message ints(std::string_view name, std::initializer_list<std::uint64_t> values) {
  Message made;
  made.text(AttributeField::name, name).number(AttributeField::type, 7);
  for (const std::uint64_t value : values) made.number(AttributeField::ints, value);
  return made;
}

Message whole(std::string_view name, std::uint64_t value) {
  return Message()
      .text(AttributeField::name, name)
      .number(AttributeField::type, 2)
      .number(AttributeField::i, value);
}

Message int64_tensor(std::string_view name, std::initializer_list<std::uint64_t> values) {
  Message made;
  made.number(TensorField::dims, values.size())
      .number(TensorField::data_type, 7)
      .text(TensorField::name, name);
  for (const std::uint64_t value : values) made.number(TensorField::int64_data, value);
  return made;
}

std::vector<Setting> settings_in(const Message& graph, std::int64_t opset) {
  static std::string bytes;
  bytes = std::string(model(graph).bytes());
  Diagnostics ignored;
  const Result<Model> read = Model::read(bytes, "model", ignored);
  EXPECT_TRUE(read);
  Constants constants(*read);
  return settings_of(read->node(0), constants, opset);
}

TEST(Settings, AnAttributeAndAConstantInputAreTheSame) {
  Message reduce = node("ReduceMean", {"x"}, {"y"});
  reduce.inner(NodeField::attribute, ints("axes", {1, 2}));
  Message as_input = graph({node("ReduceMean", {"x", "axes"}, {"y"})}, {"x"});
  as_input.inner(GraphField::initializer, int64_tensor("axes", {1, 2}));
  const std::vector<Setting> expected{{"axes", "1,2"}};
  EXPECT_EQ(settings_in(graph({reduce}, {"x"}), 17), expected);
  EXPECT_EQ(settings_in(as_input, 18), expected);
}

TEST(Settings, ADefaultIsNotListed) {
  Message softmax = node("Softmax", {"x"}, {"y"});
  softmax.inner(NodeField::attribute, whole("axis", static_cast<std::uint64_t>(-1)));
  EXPECT_TRUE(settings_in(graph({softmax}, {"x"}), 13).empty());
  EXPECT_TRUE(settings_in(graph({softmax}, {"x"}), 11).empty());
  EXPECT_TRUE(settings_in(graph({node("Softmax", {"x"}, {"y"})}, {"x"}), 13).empty());
}

TEST(Settings, AnOutdatedDefaultIsListed) {
  const std::vector<Setting> expected{{"axis", "1"}};
  Message softmax = node("Softmax", {"x"}, {"y"});
  EXPECT_EQ(settings_in(graph({softmax}, {"x"}), 11), expected);
  softmax.inner(NodeField::attribute, whole("axis", 1));
  EXPECT_EQ(settings_in(graph({softmax}, {"x"}), 11), expected);
  EXPECT_EQ(settings_in(graph({softmax}, {"x"}), 13), expected);
}

TEST(Settings, AllowzeroIsIgnoredWithoutAZero) {
  Message reshape = node("Reshape", {"x", "shape"}, {"y"});
  reshape.inner(NodeField::attribute, whole("allowzero", 1));
  Message without = graph({reshape}, {"x"}), with = graph({reshape}, {"x"});
  without.inner(GraphField::initializer, int64_tensor("shape", {4, 10}));
  with.inner(GraphField::initializer, int64_tensor("shape", {4, 0}));
  EXPECT_EQ(settings_in(without, 17), (std::vector<Setting>{{"shape", "4,10"}}));
  EXPECT_EQ(settings_in(with, 17), (std::vector<Setting>{{"allowzero", "1"}, {"shape", "4,0"}}));
}

TEST(Defaults, DependOnTheVersion) {
  const Defaults& defaults = Defaults::shipped();
  EXPECT_EQ(defaults.of("Softmax", "axis", 11), "1");
  EXPECT_EQ(defaults.of("Softmax", "axis", 13), "-1");
  EXPECT_EQ(defaults.of("LayerNormalization", "epsilon", 17), "1e-05");
  EXPECT_EQ(defaults.of("Softmax", "mood", 13), std::nullopt);
  EXPECT_EQ(defaults.of("NoSuchOperator", "axis", 13), std::nullopt);
}

TEST(Tensor, HasTheSameContentInEveryField) {
  const std::uint64_t five = 5;
  Message raw;
  raw.number(TensorField::dims, 1).number(TensorField::data_type, 7);
  raw.text(TensorField::raw_data, {reinterpret_cast<const char*>(&five), sizeof five});
  const std::string one(raw.bytes()), other(int64_tensor("", {5}).bytes()),
      six(int64_tensor("", {6}).bytes());
  EXPECT_TRUE(tensor_of({one}).is_read);
  EXPECT_EQ(tensor_of({one}).content, tensor_of({other}).content);
  EXPECT_EQ(tensor_of({one}).numbers, "5");
  EXPECT_NE(tensor_of({one}).content, tensor_of({six}).content);
}

TEST(Tensor, ReadsNumbersOneByOne) {
  Message packed, single;
  const float values[2] = {1, 2.5f};
  packed.number(TensorField::dims, 2).number(TensorField::data_type, 1);
  packed.text(TensorField::float_data, {reinterpret_cast<const char*>(values), sizeof values});
  single.number(TensorField::dims, 2).number(TensorField::data_type, 1);
  std::string one_by_one(single.bytes());
  for (const float& value : values) {
    one_by_one += static_cast<char>(4 << 3 | 5);  // float_data as a fixed32
    one_by_one.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  const std::string at_once(packed.bytes());
  EXPECT_EQ(tensor_of({one_by_one}).numbers, "1,2.5");
  EXPECT_EQ(tensor_of({one_by_one}).content, tensor_of({at_once}).content);
}

TEST(Tensor, WithTooLittleDataIsNotRead) {
  Message raw;
  raw.number(TensorField::dims, 4).number(TensorField::data_type, 1).text(TensorField::raw_data, "1234");
  const std::string bytes(raw.bytes());
  EXPECT_FALSE(tensor_of({bytes}).is_read);
}

}  // namespace
}  // namespace thence::diff
