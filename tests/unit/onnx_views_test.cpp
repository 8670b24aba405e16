// What is decoded on demand: attributes and tensor headers.
#include "onnx/views.h"

#include <gtest/gtest.h>

#include <limits>

#include "onnx_parts.h"

namespace thence::test {
namespace {

AttributeView attribute(const Message& message) { return read_attribute(message.bytes()); }

TEST(Attribute, ReadsEachKindOfValue) {
  const Message message = Message()
                              .text(AttributeField::name, "alpha")
                              .text(AttributeField::doc_string, "words")
                              .text(AttributeField::ref_attr_name, "outer")
                              .number(AttributeField::type, 7)
                              .fixed32(AttributeField::f, 0.5f)
                              .number(AttributeField::i, static_cast<std::uint64_t>(-3))
                              .text(AttributeField::s, "text")
                              .text(AttributeField::strings, "a")
                              .text(AttributeField::strings, "");
  const AttributeView view = attribute(message);
  EXPECT_EQ(view.name, "alpha");
  EXPECT_EQ(view.doc_string, "words");
  EXPECT_EQ(view.ref_attr_name, "outer");
  EXPECT_EQ(view.type, 7);
  EXPECT_EQ(view.f, 0.5f);
  EXPECT_EQ(view.i, -3);
  EXPECT_EQ(view.s, "text");
  EXPECT_EQ(view.strings, (std::vector<std::string_view>{"a", ""}));
  EXPECT_FALSE(view.has_tensor);
  EXPECT_FALSE(view.has_graph);
}

TEST(Attribute, NumbersMayBePackedOrNot) {
  const float floats[] = {1.0f, -2.0f};
  const Message message =
      Message()
          .fixed32(AttributeField::floats, 0.25f)
          .text(AttributeField::floats, {reinterpret_cast<const char*>(floats), sizeof floats})
          .number(AttributeField::ints, 1)
          .text(AttributeField::ints, "\x02" + varint(static_cast<std::uint64_t>(-1)))
          .number(AttributeField::ints, 3);
  const AttributeView view = attribute(message);
  EXPECT_EQ(view.floats, (std::vector<float>{0.25f, 1.0f, -2.0f}));
  EXPECT_EQ(view.ints, (std::vector<std::int64_t>{1, 2, -1, 3}));
}

TEST(Attribute, MergesATensorThatComesInPieces) {
  const Message message = Message()
                              .inner(AttributeField::t, Message().number(TensorField::dims, 2))
                              .inner(AttributeField::t, Message().number(TensorField::dims, 3).text(8, "w"));
  const AttributeView view = attribute(message);
  ASSERT_TRUE(view.has_tensor);
  const TensorView tensor = read_tensor(view.tensor);
  EXPECT_EQ(tensor.dims, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(tensor.name, "w");
}

TEST(Attribute, ListsAreNotMerged) {
  const Message message = Message()
                              .inner(AttributeField::tensors, tensor("a"))
                              .inner(AttributeField::tensors, tensor("b"))
                              .inner(AttributeField::graphs, graph({}))
                              .inner(AttributeField::g, graph({}));
  const AttributeView view = attribute(message);
  EXPECT_EQ(view.tensors.size(), 2u);
  EXPECT_EQ(view.graphs.size(), 1u);
  EXPECT_TRUE(view.has_graph);
}

TEST(Attribute, AnUnknownTypeIsIgnored) {
  EXPECT_EQ(attribute(Message().number(AttributeField::type, 99)).type, 0);
  EXPECT_EQ(attribute(Message().number(AttributeField::type, 2).number(AttributeField::type, 99)).type, 2);
  EXPECT_EQ(attribute(Message().number(AttributeField::type, static_cast<std::uint64_t>(-1))).type, 0);
}

TEST(Attribute, IsFoundByItsName) {
  const Message axis = Message().text(AttributeField::name, "axis").number(AttributeField::i, 1);
  const Message renamed = Message().text(AttributeField::name, "axis").text(AttributeField::name, "other");
  const ReadModel read(model(graph(
      {node("Concat", {}, {}).inner(NodeField::attribute, renamed).inner(NodeField::attribute, axis)})));
  ASSERT_TRUE(read.ok());
  const Node concat = read.model().node(0);
  ASSERT_TRUE(concat.attribute("axis"));
  EXPECT_EQ(concat.attribute("axis")->i, 1);
  EXPECT_TRUE(concat.attribute("other"));
  EXPECT_FALSE(concat.attribute("none"));
  EXPECT_EQ(concat.attributes().size(), 2u);
  std::vector<std::string_view> names;
  concat.for_each_attribute([&](const AttributeView& view) { names.push_back(view.name); });
  EXPECT_EQ(names, (std::vector<std::string_view>{"other", "axis"}));
}

TEST(Tensor, HeaderIsReadAndDataIsNot) {
  const Message message = Message()
                              .text(TensorField::dims, "\x02\x03")
                              .number(TensorField::dims, 4)
                              .number(TensorField::data_type, 1)
                              .text(TensorField::raw_data, std::string(96, 'x'))
                              .text(TensorField::int64_data, "\xff")
                              .text(TensorField::name, "w")
                              .text(TensorField::doc_string, "words");
  const TensorView view = read_tensor({message.bytes()});
  EXPECT_EQ(view.dims, (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(view.data_type, DataType::float32);
  EXPECT_EQ(view.raw_size, 96u);
  EXPECT_EQ(view.elements(), 24u);
  EXPECT_EQ(view.bytes(), 96u);
  EXPECT_EQ(view.doc_string, "words");
  EXPECT_FALSE(view.external);
}

Message entry(std::string_view key, std::string_view value) {
  return Message().text(EntryField::key, key).text(EntryField::value, value);
}

TEST(Tensor, ReadsExternalDataLocation) {
  Message message = Message()
                        .number(TensorField::data_location, 1)
                        .inner(TensorField::external_data, entry("location", "weights.bin"))
                        .inner(TensorField::external_data, entry("offset", "4096"))
                        .inner(TensorField::external_data, entry("length", "12x"));
  const TensorView view = read_tensor({message.bytes()});
  ASSERT_TRUE(view.external);
  EXPECT_EQ(view.external->location, "weights.bin");
  EXPECT_EQ(view.external->offset, 4096u);
  EXPECT_EQ(view.external->length, static_cast<std::uint64_t>(-1))
      << "not a number: behind the end of any file";

  message.number(TensorField::data_location, 7);
  EXPECT_TRUE(read_tensor({message.bytes()}).external) << "an unknown place is an unknown field";
  message.number(TensorField::data_location, 0);
  EXPECT_FALSE(read_tensor({message.bytes()}).external);
}

TEST(Tensor, CountsElementsWithoutOverflow) {
  TensorView view;
  EXPECT_EQ(view.elements(), 1u) << "a scalar";
  view.dims = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  EXPECT_FALSE(view.elements());
  view.dims.push_back(0);
  EXPECT_EQ(view.elements(), 0u) << "empty, whatever the other dimensions";
  view.dims = {2, -1};
  EXPECT_FALSE(view.elements());
  view.dims = {0, -1};
  EXPECT_FALSE(view.elements());
}

TEST(Tensor, KnowsTheSizeOfSmallTypes) {
  TensorView view;
  view.dims = {5};
  view.data_type = DataType::int4;
  EXPECT_EQ(view.bytes(), 3u);
  view.data_type = DataType::uint2;
  EXPECT_EQ(view.bytes(), 2u);
  view.data_type = DataType::string;
  EXPECT_FALSE(view.bytes());
  view.data_type = static_cast<DataType>(99);
  EXPECT_FALSE(view.bytes());
  view.data_type = DataType::float32;
  view.dims = {std::numeric_limits<std::int64_t>::max()};
  EXPECT_FALSE(view.bytes());
}

TEST(DataType, HasAName) {
  EXPECT_EQ(data_type_name(static_cast<DataType>(1)), "float32");
  EXPECT_EQ(data_type_name(static_cast<DataType>(16)), "bfloat16");
  EXPECT_EQ(data_type_name(static_cast<DataType>(26)), "int2");
  EXPECT_EQ(data_type_name(static_cast<DataType>(28)), "float6e3m2");
  EXPECT_EQ(data_type_name(static_cast<DataType>(99)), "type 99");
  EXPECT_EQ(data_type_name(static_cast<DataType>(-1)), "type -1");
}

TEST(SparseInitializer, HasTheDenseShape) {
  const Message sparse =
      Message()
          .inner(SparseTensorField::values, tensor("w").number(TensorField::dims, 2).number(2, 1))
          .number(SparseTensorField::dims, 10)
          .number(SparseTensorField::dims, 20);
  const ReadModel read(model(graph({}).inner(GraphField::sparse_initializer, sparse)));
  ASSERT_TRUE(read.ok());
  const TensorView view = read.model().tensor(read.model().initializers()[0]);
  EXPECT_EQ(view.name, "w");
  EXPECT_EQ(view.dims, (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(view.data_type, DataType::float32);
}

}  // namespace
}  // namespace thence::test
