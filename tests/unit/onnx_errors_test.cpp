// Unreadable files are rejected with a code, an offset and advice; so are files that need too much memory.
#include <gtest/gtest.h>

#include <fstream>

#include "onnx/limits.h"
#include "onnx_parts.h"

namespace thence::test {
namespace {

using namespace std::string_literals;

Error error_of(const std::string& bytes) {
  const ReadModel read(bytes);
  EXPECT_FALSE(read.ok());
  return read.ok() ? Error{} : read.result.error();
}

TEST(ReadError, EachFaultHasACode) {
  const auto code = [](const std::string& in_graph) {
    return ReadModel(Message().text(7, in_graph)).error();
  };
  EXPECT_EQ(code("\x0a"), "W001");
  EXPECT_EQ(code("\x08"s + std::string(10, '\xff') + "\x01"), "W002");
  EXPECT_EQ(code("\xf8\xff\xff\xff\x1f\x01"), "W003");
  EXPECT_EQ(code("\x02"), "W004");
  EXPECT_EQ(code("\x0a\x05"), "W005");
  EXPECT_EQ(code("\x0d\x01"), "W006");
  EXPECT_EQ(code("\x0b\x0c"), "W007");
  EXPECT_EQ(code("\x0e"), "W008");
  EXPECT_EQ(code(graph({node("A", {}, {}).inner(5, Message().text(AttributeField::ints, "\xff"))}).bytes()),
            "W010");
  EXPECT_EQ(code(""), "") << "an empty graph is a graph";
}

TEST(ReadError, NamesFileFaultMessageAndOffset) {
  const Error error = error_of(model(graph({Message().raw("\x2a\x7f")})).bytes());
  EXPECT_EQ(error.kind, ErrorKind::bad_input);
  EXPECT_EQ(error.code, "W005");
  EXPECT_EQ(error.text, "model.onnx: a length exceeds the enclosing message (in a node, offset 4)");
  EXPECT_FALSE(error.hint.empty());
  const Error in_attribute = error_of(model(graph({Message().text(NodeField::attribute, "\xff")})).bytes());
  EXPECT_NE(in_attribute.text.find("(in an attribute, offset 6)"), std::string::npos) << in_attribute.text;
}

TEST(ReadError, AnEmptyFileAndOneWithoutAGraph) {
  EXPECT_EQ(error_of("").code, "W011");
  EXPECT_EQ(error_of(Message().number(ModelField::ir_version, 10).bytes()).code, "W012");
  EXPECT_EQ(error_of(Message().number(ModelField::graph, 1).bytes()).code, "W012") << "not a message";
}

TEST(ReadError, DescribesOtherFileTypes) {
  const auto hint = [](const std::string& bytes) { return error_of(bytes).hint; };
  EXPECT_NE(hint("\x1f\x8b\x08\x00"s).find("gzip"), std::string::npos);
  EXPECT_NE(hint("PK\x03\x04\x14"s).find("zip archive"), std::string::npos);
  EXPECT_NE(hint("version https://git-lfs.github.com/spec/v1\noid").find("LFS"), std::string::npos);
  EXPECT_NE(hint("<!DOCTYPE html>").find("web page"), std::string::npos);
  EXPECT_NE(hint("just some words\n").find("text"), std::string::npos);
  EXPECT_NE(hint("\xff\xff").find("damaged"), std::string::npos);
}

TEST(ReadError, BodiesNestedTooDeep) {
  const auto nested = [](int levels) {
    Message inside = graph({});
    for (int i = 0; i < levels; ++i)
      inside = graph({node("If", {}, {}).inner(5, body("then_branch", inside))});
    return ReadModel(model(inside));
  };
  // A level is three messages: node, attribute, graph; the main graph is one more.
  EXPECT_EQ(nested(33).error(), "");
  EXPECT_EQ(nested(33).model().graphs().size(), 34u);
  EXPECT_EQ(nested(34).error(), "W009");
}

// A name of 16 MiB, one byte too long, wherever a name can be.
TEST(ReadError, ANameTooLongIsRefusedEverywhere) {
  const std::string name(Slice::max_length + 1, 'n');
  const auto in_node = [&](NodeField field) { return model(graph({Message().text(field, name)})); };
  const Message files[] = {
      in_node(NodeField::input),
      in_node(NodeField::output),
      in_node(NodeField::name),
      in_node(NodeField::op_type),
      in_node(NodeField::domain),
      model(graph({}, {name})),
      model(graph({}, {}, {name})),
      model(graph({}).inner(GraphField::initializer, tensor(name))),
      model(graph({}).inner(GraphField::sparse_initializer, Message().inner(1, tensor(name)))),
      model(graph({})).inner(ModelField::functions, function("f", {}, {name}, {})),
      model(graph({})).inner(ModelField::functions, function("f", {}, {}, {name})),
  };
  for (std::size_t i = 0; i < std::size(files); ++i)
    EXPECT_EQ(ReadModel(files[i]).error(), "W014") << "file " << i;
  const std::string fits(Slice::max_length, 'n');
  const ReadModel read(model(graph({Message().text(NodeField::output, fits)}, {fits})));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.model().value_name(read.model().graphs()[0].inputs[0]), fits);
}

TEST(ReadError, ReportsOffsetOfALongName) {
  const Error error = error_of(model(graph({}, {std::string(Slice::max_length + 1, 'n')})).bytes());
  EXPECT_EQ(error.text, "model.onnx: a name has 16777216 bytes (offset 15)");
}

std::string repeated(const std::string& piece, std::size_t count) {
  std::string out;
  out.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += piece;
  return out;
}

TEST(Limits, MillionsOfEmptyNodesAndOutputsAreRead) {
  const ReadModel nodes(
      Message().text(ModelField::graph, repeated(Message().text(GraphField::node, "").bytes(), 2000000)));
  ASSERT_TRUE(nodes.ok());
  EXPECT_EQ(nodes.model().node_count(), 2000000u);
  const std::string outputs = repeated(Message().text(NodeField::output, "").bytes(), 2000000);
  const ReadModel one(model(graph({Message().raw(outputs)})));
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one.model().node(0).outputs().size(), 2000000u);
  EXPECT_EQ(one.model().value_count(), 0u);
}

TEST(Limits, SmallFilesMayNotNeedMuchMemory) {
  const auto many_in = [](const std::string& piece, std::size_t count) {
    return ReadModel(model(graph({}).raw(repeated(piece, count)))).error();
  };
  EXPECT_EQ(many_in(Message().text(GraphField::initializer, "").bytes(), 1000000), "");
  EXPECT_EQ(many_in(Message().text(GraphField::initializer, "").bytes(), 2000000), "W013");
  EXPECT_EQ(many_in(Message().text(GraphField::input, "").bytes(), 2000000), "W013");
  const std::string bodies = repeated(Message().text(AttributeField::graphs, "").bytes(), 500000);
  EXPECT_EQ(ReadModel(model(graph({Message().text(NodeField::attribute, bodies)}))).error(), "W013");
  EXPECT_EQ(ReadModel(repeated(Message().text(ModelField::graph, "").bytes(), 500000)).error(), "W013");
  EXPECT_EQ(ReadModel(model(graph({})).raw(repeated(Message().text(25, "").bytes(), 500000))).error(),
            "W013");
}

TEST(Limits, RejectsTooManyNames) {
  std::string inputs;
  const std::string start = Message::tag(NodeField::input, 2) + varint(3);
  for (std::uint32_t i = 0; i < 2000000; ++i) {
    inputs += start;
    inputs.append(reinterpret_cast<const char*>(&i), 3);
  }
  EXPECT_EQ(ReadModel(model(graph({Message().raw(inputs)}))).error(), "W013");
}

TEST(Limits, WeightsDoNotRaiseTheMemoryLimit) {
  const Message weight = tensor("w").text(TensorField::raw_data, std::string(1000, 'x'));
  const std::string bytes = model(graph({}).inner(GraphField::initializer, weight)).bytes();
  const wire::Survey survey = wire::survey(bytes, static_cast<std::uint8_t>(MessageKind::model), layout());
  EXPECT_EQ(Counts(bytes.size(), survey).structure_bytes, bytes.size() - 1000);
}

TEST(Open, ReadsAFileAndKeepsItMapped) {
  const std::string path = testing::TempDir() + "thence_open_test.onnx";
  std::ofstream(path, std::ios::binary) << model(graph({node("Relu", {}, {})})).bytes();
  Diagnostics diagnostics;
  const auto opened = Model::open(path, diagnostics);
  std::remove(path.c_str());
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->node(0).op_type(), "Relu");
  EXPECT_EQ(opened->file(), path);
  const auto missing = Model::open(path, diagnostics);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::input_output);
}

}  // namespace
}  // namespace thence::test
