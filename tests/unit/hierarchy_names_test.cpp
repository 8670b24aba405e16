// How names are parsed: Python lists, sliced lists, scopes, parameters, derived names.
#include <gtest/gtest.h>

#include "hierarchy/derived_names.h"
#include "hierarchy/exporter_stack.h"
#include "hierarchy/limits.h"
#include "hierarchy/parameters.h"
#include "hierarchy/python_literal.h"
#include "hierarchy/scope_names.h"
#include "onnx_parts.h"

namespace thence::hierarchy {
namespace {

using Strings = std::vector<std::string>;

TEST(PythonList, ReadsPythonLists) {
  EXPECT_EQ(parse_string_list("['', 'blocks.0', \"it's\"]"), (Strings{"", "blocks.0", "it's"}));
  EXPECT_EQ(parse_string_list(R"(['a\\b', 'c\'d', '\u00e9\x41\n'])"), (Strings{"a\\b", "c'd",
                                                                               "\xc3\xa9"
                                                                               "A\n"}));
  EXPECT_EQ(parse_string_list("[]"), Strings{});
}

TEST(PythonList, RejectsOtherText) {
  for (const char* text :
       {"", "[", "['a'", "['a' 'b']", "[1]", "['a\\q']", "['a'] x", "('a',)", "['a', ['b']]", "['\\x4']"})
    EXPECT_FALSE(parse_string_list(text)) << text;
}

TEST(PythonList, IsBounded) {
  std::string many = "['a'";
  for (std::size_t i = 0; i < max_list_items; ++i) many += ", 'a'";
  EXPECT_FALSE(parse_string_list(many + "]"));
}

ExporterStack stack_of(std::string_view name_scopes, std::string_view class_hierarchy) {
  return read_stack({.name_scopes = name_scopes, .class_hierarchy = class_hierarchy});
}

TEST(ExporterStack, SkipsMissingStackMarker) {
  EXPECT_TRUE(stack_of("['_no_stack', 'size']", "['_no_stack', 'aten.sym_size.int']").modules.empty());
  EXPECT_TRUE(read_stack({.name_space = "_no_stack: _no_stack/size: aten.sym_size.int"}).modules.empty());
  EXPECT_EQ(stack_of("['_no_stack', 'fc', 'mm']", "['_no_stack', 'pkg.Fc', 'aten.mm']").modules.size(), 1u);
  EXPECT_EQ(stack_of("['', 'fc', 'mm']", "['pkg.Net', 'pkg.fc', 'aten.mm']").modules.size(), 2u);
}

TEST(Slices, AreResolvedIfPossible) {
  EXPECT_EQ(resolve_slices("layers.slice(None, 4, None).0.fc"), "layers.0.fc");
  EXPECT_EQ(resolve_slices("layers.slice(2, None, 3).1"), "layers.5");
  EXPECT_EQ(resolve_slices("a.slice(1, 9, None).0.b.slice(None, None, 2).3"), "a.1.b.6");
  for (const char* text : {"layers.slice(-2, None, None).0", "layers.slice(None, 4).0",
                           "layers.slice(None, 4, None)", "layers.slice("})
    EXPECT_EQ(resolve_slices(text), text);
}

TEST(Scopes, EndBeforeTheOperation) {
  const auto style = ScopeStyle::from_root;
  EXPECT_EQ(scope_of_node_name("/encoder/layer.0/MatMul_1", style), "/encoder/layer.0");
  EXPECT_EQ(scope_of_node_name("/Add", style), "");
  EXPECT_EQ(scope_of_node_name("Constant_86", style), std::nullopt);
  EXPECT_EQ(scope_of_node_name("/fc/MatMul/MatMulAddFusion", style), "/fc");
  EXPECT_EQ(scope_of_value_name("/fc/MatMul_output_0", style), "/fc");
  EXPECT_EQ(scope_of_value_name("/fc/MatMul_output_0_quantized", style), "/fc");
  EXPECT_EQ(scope_of_value_name("/fc/MatMul", style), std::nullopt);
  EXPECT_EQ(scope_of_node_name("model/dense/MatMul", ScopeStyle::bare), "model/dense");
}

TEST(Scopes, ComponentsBeginAtTheLastNonNumber) {
  EXPECT_EQ(scope_component("encoder.layer.0"), "layer.0");
  EXPECT_EQ(scope_component("encoder.block.0.1"), "block.0.1");
  EXPECT_EQ(scope_component("enc.a"), "a");
  EXPECT_EQ(scope_component("0"), "0");
  EXPECT_EQ(scope_component(""), "");
}

TEST(Parameters, AreChainsOfIdentifiers) {
  EXPECT_EQ(parameter_path("encoder.layer.0.dense.weight"), "encoder.layer.0.dense.weight");
  EXPECT_EQ(parameter_path("fc.weight_quantized"), "fc.weight");
  for (const char* name :
       {"onnx::MatMul_123", "/a/Constant_output_0", "123", "input.1", "a..b", "model/dense/kernel:0"})
    EXPECT_EQ(parameter_path(name), "") << name;
}

TEST(DerivedNames, AreStrippedRepeatedly) {
  const DerivedNames& names = DerivedNames::shipped();
  EXPECT_EQ(names.original_node("fused /a/Conv_nchwc"), "/a/Conv");
  EXPECT_EQ(names.original_node("/a/Add_token_24"), "/a/Add");
  EXPECT_EQ(names.original_node("/a/Add_24"), "/a/Add_24");
  EXPECT_EQ(names.original_node("_quant"), "_quant");
}

TEST(Stacks, AreReadFromEitherProperty) {
  ExporterProperties properties;
  properties.name_scopes = "['', 'blocks.0', 'blocks.0.fc', 'linear']";
  properties.class_hierarchy =
      "['pkg.Net', 'pkg.Block', 'torch.nn.modules.linear.Linear', 'aten.linear.default']";
  const ExporterStack stack = read_stack(properties);
  ASSERT_EQ(stack.modules.size(), 3u);
  EXPECT_TRUE(stack.starts_at_root);
  EXPECT_EQ(stack.modules[2].path, "blocks.0.fc");
  EXPECT_EQ(stack.modules[1].class_name, "pkg.Block");

  ExporterProperties plain;
  plain.name_space = ": pkg.Net/blocks.0: pkg.Block/linear: aten.linear.default";
  ASSERT_EQ(read_stack(plain).modules.size(), 2u);
  EXPECT_EQ(read_stack(plain).modules[1].path, "blocks.0");
  EXPECT_TRUE(read_stack({}).modules.empty());
}

std::vector<std::string> paths_of(const ExporterStack& stack) {
  std::vector<std::string> paths;
  for (const StackFrame& frame : stack.modules) paths.push_back(frame.path);
  return paths;
}

TEST(Stacks, OfABuilderAreRelative) {
  const MetadataDialects& dialects = MetadataDialects::shipped();
  const auto* const key = dialects.find("pkg.onnxscript.name_scopes");
  ASSERT_NE(key, nullptr);
  ExporterProperties properties;
  properties.dialect = key->dialect;
  properties.name_scopes = "['', 'model', 'layers.1', '', 'attn']";
  properties.class_hierarchy = "['Net', 'Text', 'Layer', 'Layer', 'Attention']";
  const ExporterStack stack = read_stack(properties);
  EXPECT_EQ(paths_of(stack),
            (Strings{"", "model", "model.layers.1", "model.layers.1", "model.layers.1.attn"}));
  EXPECT_EQ(stack.modules.back().class_name, "Attention");
  EXPECT_TRUE(stack.is_builders);
  properties.name_scopes = "['', 'attn']";  // an entry of the name of its class is no marker here
  properties.class_hierarchy = "['Net', 'attn']";
  EXPECT_EQ(paths_of(read_stack(properties)), (Strings{"", "attn"}));
}

TEST(Stacks, OfABuilderAreBounded) {
  std::string text = "[''";
  const std::string atom(600, 'a');
  for (int i = 0; i < 4; ++i) text += ", '" + atom + "'";
  ExporterProperties properties;
  properties.dialect = MetadataDialects::shipped().find("pkg.onnxscript.name_scopes")->dialect;
  properties.name_scopes = text += ']';
  EXPECT_EQ(read_stack(properties).modules.size(), 2u);
}

TEST(Stacks, ShowTheirDialectByTheirForm) {
  const auto paths = [](std::string_view text) { return paths_of(read_stack({.name_space = text})); };
  EXPECT_EQ(paths(": Net/model: Text/layers.1: Layer/attn: Attention"),
            (Strings{"", "model", "model.layers.1", "model.layers.1.attn"}));
  EXPECT_EQ(paths(": Net"), Strings{""});
  EXPECT_EQ(paths(": Net/model: Text"), (Strings{"", "model"}));
  EXPECT_EQ(paths(": pkg.Net/model: pkg.Text/add: aten.add.Tensor"), (Strings{"", "model"}));
  EXPECT_EQ(paths(": pkg.Net/model: pkg.Text/mul: <built-in function mul>"), (Strings{"", "model"}));
  EXPECT_EQ(paths(": pkg.Net/model: pkg.Text/weight: weight"), (Strings{"", "model"}));
  EXPECT_EQ(paths(": Net/model: Text/model.layers: Layers/relu: Op"), (Strings{"", "model", "model.layers"}));
  EXPECT_TRUE(paths("a/b/c").empty());
}

TEST(Stacks, OfSeveralDialectsAreThoseOfTheFirst) {
  const auto metadata = [](std::string_view key, std::string_view value) {
    return test::Message().text(onnx::EntryField::key, key).text(onnx::EntryField::value, value);
  };
  test::Message both = test::node("Relu", {"x"}, {"y"});
  both.inner(onnx::NodeField::metadata_props, metadata("pkg.onnxscript.name_scopes", "['', 'b']"))
      .inner(onnx::NodeField::metadata_props, metadata("pkg.torch.onnx.name_scopes", "['', 'a', 'relu']"))
      .inner(onnx::NodeField::metadata_props, metadata("pkg.onnxscript.class_hierarchy", "['N', 'B']"));
  const test::ReadModel read(test::model(test::graph({both})));
  const ExporterProperties properties = exporter_properties(read.model().node(0));
  EXPECT_EQ(properties.name_scopes, "['', 'a', 'relu']");
  EXPECT_EQ(properties.class_hierarchy, "");
  EXPECT_EQ(find_dialect(read.model()), properties.dialect);
  ASSERT_TRUE(properties.dialect);
  EXPECT_EQ(MetadataDialects::shipped()[*properties.dialect].name, "dynamo");
}

TEST(ClassPaths, LeadToTheOnlyModuleThatFits) {
  ModuleTree tree;
  tree.add("", "pkg.Net");
  tree.add("layers", "torch.nn.modules.container.ModuleList");
  for (const std::string layer : {"layers.0", "layers.1"}) {
    tree.add(layer, "pkg.Layer");
    tree.add(layer + ".attn", "pkg.Attention");
  }
  EXPECT_EQ(find_by_classes(tree, "/Net"), root);
  EXPECT_EQ(find_by_classes(tree, "/Net/Layer.1"), tree.find("layers.1"));
  EXPECT_EQ(find_by_classes(tree, "/Net/Layer.1/Attention"), tree.find("layers.1.attn"));
  for (const char* text :
       {"", "Net", "/Other", "/Net/Layer", "/Net/Layer.2", "/Net/Attention", "/Net/Layer.0/"})
    EXPECT_EQ(find_by_classes(tree, text), no_module) << text;
}

}  // namespace
}  // namespace thence::hierarchy
