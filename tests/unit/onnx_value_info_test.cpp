// Value infos: the type and dimensions of a value, merged as protobuf merges a `oneof`.
#include <gtest/gtest.h>

#include "onnx/views.h"
#include "onnx_parts.h"

namespace thence::test {
namespace {

Message dim(std::uint64_t value) { return Message().number(DimensionField::value, value); }

Message tensor_type(std::uint64_t elem_type, std::initializer_list<Message> dims) {
  Message shape;
  for (const Message& one : dims) shape.inner(ShapeField::dim, one);
  return Message().inner(
      TypeField::tensor,
      Message().number(TensorTypeField::elem_type, elem_type).inner(TensorTypeField::shape, shape));
}

ValueInfoView typed(std::initializer_list<Message> types) {
  static std::string bytes;  // the view points into it
  Message message = value_info("x");
  for (const Message& type : types) message.inner(ValueInfoField::type, type);
  bytes = message.bytes();
  return read_value_info(bytes);
}

TEST(ValueInfo, HasATypeAndDimensions) {
  const ValueInfoView view =
      typed({tensor_type(7, {dim(3), Message().text(DimensionField::param, "batch"), Message()})});
  EXPECT_EQ(view.name, "x");
  EXPECT_TRUE(view.is_tensor);
  EXPECT_EQ(view.elem_type, DataType::int64);
  ASSERT_EQ(view.dims.size(), 3u);
  EXPECT_EQ(view.dims[0].value, 3);
  EXPECT_EQ(view.dims[1].param, "batch");
  EXPECT_FALSE(view.dims[1].value);
  EXPECT_FALSE(view.dims[2].value);
  EXPECT_TRUE(view.dims[2].param.empty());
}

TEST(ValueInfo, TheLastOfValueAndParamWins) {
  const ValueInfoView view =
      typed({tensor_type(1, {dim(3).text(DimensionField::param, "n"),
                             Message().text(DimensionField::param, "n").number(1, 4)})});
  EXPECT_FALSE(view.dims[0].value);
  EXPECT_EQ(view.dims[0].param, "n");
  EXPECT_EQ(view.dims[1].value, 4);
  EXPECT_TRUE(view.dims[1].param.empty());
}

TEST(ValueInfo, AScalarHasAShapeAndAnUnknownRankHasNone) {
  EXPECT_TRUE(typed({tensor_type(1, {})}).has_shape);
  const Message no_shape =
      Message().inner(TypeField::tensor, Message().number(TensorTypeField::elem_type, 1));
  EXPECT_FALSE(typed({no_shape}).has_shape);
  EXPECT_TRUE(typed({no_shape}).is_tensor);
  EXPECT_FALSE(typed({}).is_tensor);
}

TEST(ValueInfo, TheLastKindOfTypeWinsAndTheSameKindIsMerged) {
  const Message sequence = Message().inner(TypeField::sequence, Message());
  EXPECT_FALSE(typed({tensor_type(1, {dim(2)}), sequence}).is_tensor);
  const ValueInfoView again = typed({tensor_type(1, {dim(2)}), sequence, tensor_type(7, {})});
  EXPECT_TRUE(again.is_tensor);
  EXPECT_EQ(again.elem_type, DataType::int64);
  EXPECT_TRUE(again.dims.empty()) << "the sequence cleared the first type";
  const ValueInfoView merged = typed({tensor_type(1, {dim(2)}), tensor_type(7, {dim(3)})});
  EXPECT_EQ(merged.elem_type, DataType::int64);
  EXPECT_EQ(merged.dims.size(), 2u);
}

TEST(ValueInfo, UnknownFieldsOfATypeDoNotClearIt) {
  Message type = tensor_type(1, {dim(2)});
  type.text(TypeField::denotation, "IMAGE").text(2, "").text(3, "").text(12, "").number(4, 1);
  EXPECT_TRUE(typed({type}).is_tensor);
  EXPECT_EQ(typed({type}).dims.size(), 1u);
}

TEST(ValueInfos, OfAGraphAreListed) {
  const ReadModel read(model(graph({}, {"in"})
                                 .inner(GraphField::value_info, value_info("a"))
                                 .inner(GraphField::value_info, value_info("b"))));
  ASSERT_TRUE(read.ok());
  const auto infos = read.model().value_infos(read.model().graphs()[0]);
  ASSERT_EQ(infos.size(), 2u);
  EXPECT_EQ(read_value_info(infos[1]).name, "b");
}

}  // namespace
}  // namespace thence::test
