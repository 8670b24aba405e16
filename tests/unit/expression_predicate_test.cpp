// What expressions select in a small map.
#include "expression/predicate.h"

#include "expression_parts.h"

namespace thence::test {
namespace {

TEST_F(Expressing, ComparesColumnsOfNodes) {
  EXPECT_EQ(selected("op_type = 'MatMul'"), "03");
  EXPECT_EQ(selected("op_type != 'MatMul'"), "1245");
  EXPECT_EQ(selected("op_type ~ '*M*' or op_type ~ 'R?lu'"), "034");
  EXPECT_EQ(selected("index >= 2 and index < 4"), "23");
  EXPECT_EQ(selected("3 <= index"), "345");
  EXPECT_EQ(selected("name ~ '/enc/*/MatMul'"), "03");
  EXPECT_EQ(selected("graph = '' and domain = ''"), "012345");
  EXPECT_EQ(selected("confidence > 0.5 and level != 'none'"), "01234");
  EXPECT_EQ(selected("source = 'onnx_scope_parsing'"), "01234");
  EXPECT_EQ(selected("call = 0"), "01234");
}

TEST_F(Expressing, ComparesColumnsOfModules) {
  EXPECT_EQ(selected("module = 'enc.layer.0.attn'"), "2");
  EXPECT_EQ(selected("module ~ 'enc.layer.*.attn.query'"), "013");
  EXPECT_EQ(selected("module ~ '**.query'"), "013");
  EXPECT_EQ(selected("under = 'enc.layer.0'"), "012");
  EXPECT_EQ(selected("under ~ '**.query'"), "013");
  EXPECT_EQ(selected("under = '(root)'"), "01234");
  EXPECT_EQ(selected("under = ''"), "01234");
  EXPECT_EQ(selected("member = 'enc.layer.0.attn' or modules = 'dec.layer.0.act'"), "24");
  EXPECT_EQ(selected("role = 'attention'"), "0123");
  EXPECT_EQ(selected("role = 'attention query'"), "013");
  EXPECT_EQ(selected("semantic_type = 'attention' and component = 'query'"), "013");
}

TEST_F(Expressing, CountsNegativeLayersFromTheEndOfTheirList) {
  EXPECT_EQ(selected("layer_id = 0"), "0124");
  EXPECT_EQ(selected("layer_id = -1"), "34");
  EXPECT_EQ(selected("layer_id = -2"), "012");
  EXPECT_EQ(selected("layer_id >= -2"), "01234");
  EXPECT_EQ(selected("layer_id < -1"), "012");
  EXPECT_EQ(selected("-1 = layer_id and under = 'enc'"), "3");
}

TEST_F(Expressing, UnknownValuesOnlyEqualNull) {
  EXPECT_EQ(selected("module = null"), "5");
  EXPECT_EQ(selected("module != null"), "01234");
  EXPECT_EQ(selected("under = null and member = null"), "5");
  EXPECT_EQ(selected("layer_id = null"), "5");
  EXPECT_EQ(selected("component = null"), "245");
  EXPECT_EQ(selected("layer_id < 1"), "0124");
  EXPECT_EQ(selected("not layer_id < 1"), "35");
  EXPECT_EQ(selected("component != 'query'"), "245");
  EXPECT_EQ(selected("module_class = null and reason != null"), "012345");
}

TEST_F(Expressing, ComparesColumnsWithEachOther) {
  EXPECT_EQ(selected("index > layer_id"), "1234");
  EXPECT_EQ(selected("layer_id = call"), "0124");
  EXPECT_EQ(selected("module = hf_module"), "");
  EXPECT_EQ(selected("op_type = op_type"), "012345");
}

TEST_F(Expressing, CombinesComparisons) {
  EXPECT_EQ(selected("not (op_type = 'MatMul' or module = null) and not layer_id = 1"), "124");
  EXPECT_EQ(selected("op_type = 'Add' or op_type = 'Relu' and layer_id = 1"), "1");
  EXPECT_EQ(selected("(op_type = 'Add' or op_type = 'MatMul') and layer_id = 1"), "3");
}

}  // namespace
}  // namespace thence::test
