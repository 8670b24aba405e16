// Names and types of expressions are checked against a map.
#include "expression/bind.h"

#include "expression_parts.h"

namespace thence::test {
namespace {

TEST_F(Expressing, UnknownColumnsSuggestWhatIsNear) {
  EXPECT_EQ(
      failure("op_typ = 'MatMul'"),
      "expression, position 1: unknown column 'op_typ'\n    op_typ = 'MatMul'\n    ^ | the nearest: op_type");
  EXPECT_EQ(failure("layer = 1").substr(0, 47), "expression, position 1: unknown column 'layer'\n");
  EXPECT_NE(failure("layer = 1").find("the nearest: layer_id"), std::string::npos);
  EXPECT_NE(failure("zzzzzzzz = 1").find("columns: graph, index"), std::string::npos);
  EXPECT_NE(failure("op_type = MatMul").find("text needs quotes: 'MatMul'"), std::string::npos);
}

TEST_F(Expressing, UnknownNamesSuggestWhatIsNear) {
  EXPECT_EQ(
      failure("layer_id = 1 or op_type = 'Matmul'"),
      "expression, position 27: the model has no operator 'Matmul'\n    layer_id = 1 or op_type = 'Matmul'\n"
      "                              ^ | the nearest: MatMul");
  EXPECT_NE(failure("role = 'atention'").find("| the nearest: attention"), std::string::npos);
  EXPECT_NE(failure("component != 'qery'").find("| the nearest: query"), std::string::npos);
  EXPECT_NE(failure("module = 'enc.layers.0'").find("| the nearest: enc.layer.0"), std::string::npos);
  EXPECT_NE(failure("under = 'encoder'").find("no module 'encoder'"), std::string::npos);
  EXPECT_NE(failure("module_class = 'Linear'").find("the file has no classes"), std::string::npos);
  EXPECT_NE(failure("source = 'hearsay'").find("no source 'hearsay'"), std::string::npos);
  EXPECT_NE(failure("level = 'zzzzzzzz'").find("there are: high, low, medium, none"), std::string::npos);
}

TEST_F(Expressing, WordsOfTheLexiconAndGlobsMayMatchNothing) {
  EXPECT_EQ(selected("role = 'norm'"), "");
  EXPECT_EQ(selected("op_type ~ 'Conv*'"), "");
  EXPECT_EQ(selected("op_type ~ 'Conv'"), "");  // ONNX has this operator
  EXPECT_EQ(selected("op_type ~ 'Convv'"), "Q010");
  EXPECT_EQ(selected("name = 'nowhere'"), "");
}

TEST_F(Expressing, TypesAreChecked) {
  for (const char* text :
       {"op_type = 3", "layer_id = 'x'", "op_type < 'x'", "layer_id ~ '1*'", "layer_id < null",
        "op_type ~ null", "'a' = 'a'", "1 = 2", "null = null", "'Mat*' ~ op_type", "op_type = layer_id",
        "op_type ~ name", "member = weight_owner", "name < op_type"})
    EXPECT_EQ(selected(text), "Q011") << text;
  EXPECT_EQ(failure("op_type > 'MatMul'"),
            "expression, position 9: > compares numbers, and 'op_type' is text\n    op_type > 'MatMul'\n"
            "            ^ | use =, != or ~");
  EXPECT_EQ(selected("name ~ '" + std::string(1025, 'a') + "'"), "Q009");
}

}  // namespace
}  // namespace thence::test
