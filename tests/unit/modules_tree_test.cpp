// The module tree: paths, ancestors, layers, class filters.
#include <gtest/gtest.h>

#include "modules/class_filter.h"
#include "modules/module_tree.h"

namespace thence::modules {
namespace {

TEST(ModuleTree, AddsAncestors) {
  ModuleTree tree;
  const ModuleId fc = tree.add("blocks.0.fc", "torch.nn.Linear");
  EXPECT_EQ(tree.size(), 4u);
  EXPECT_EQ(tree[tree[fc].parent].path, "blocks.0");
  EXPECT_EQ(tree.add("blocks.0.fc"), fc);
  tree.add_alias(fc, "head");
  EXPECT_EQ(tree.find("head"), fc);
}

// One activation in two layers; the second has it under two names. The root has it last.
ModuleTree shared_activation() {
  ModuleTree tree;
  const ModuleId act = tree.add("layer.0.act", "torch.nn.ReLU");
  tree.add("layer.1.fc");
  for (const char* alias : {"layer.1.act", "layer.1.last", "act"}) tree.add_alias(act, alias);
  return tree;
}

TEST(ModuleTree, SharedModulesHaveThePathBelowTheirCaller) {
  ModuleTree tree = shared_activation();
  const ModuleId act = tree.find("layer.0.act");
  EXPECT_EQ(tree.as_called_by(tree.find("layer.0"), act), act);
  const ModuleId second = tree.as_called_by(tree.find("layer.1"), act);
  EXPECT_EQ(tree[second].path, "layer.1.act") << "the first of two names";
  EXPECT_EQ(tree[tree[second].parent].path, "layer.1");
  EXPECT_EQ(tree[second].class_name, "torch.nn.ReLU");
  EXPECT_EQ(tree.find("layer.1.act"), second);
  EXPECT_EQ(tree.find("layer.1.last"), act) << "no call was made by this path";
  EXPECT_TRUE(tree.is_same_module(second, act));
  EXPECT_EQ(tree[tree.as_called_by(root, second)].path, "act") << "fewer atoms than layer.0.act";
  EXPECT_EQ(tree.as_called_by(tree.find("layer.1.fc"), second), act) << "the caller does not contain it";
}

TEST(ModuleTree, ModulesWithOnePathAreThemselves) {
  ModuleTree tree = shared_activation();
  const ModuleId fc = tree.find("layer.1.fc");
  EXPECT_EQ(tree.as_called_by(tree.find("layer.0"), fc), fc);
  EXPECT_EQ(tree.find_as_called("layer.1.fc"), fc);
  EXPECT_EQ(tree.find_as_called("layer.2.fc"), no_module);
}

TEST(ModuleTree, SharedModulesWithModulesInside) {
  ModuleTree tree;
  const ModuleId block = tree.add("a.block"), norm = tree.add("a.block.norm");
  tree.add("b");
  tree.add_alias(block, "b.other");
  tree.add_alias(norm, "b.other.norm");
  const ModuleId called = tree.as_called_by(tree.as_called_by(tree.find("b"), block), norm);
  EXPECT_EQ(tree[called].path, "b.other.norm");
  EXPECT_EQ(tree[tree[called].parent].path, "b.other");
}

TEST(ModuleTree, CopiesKeepSharedModules) {
  ModuleTree tree = shared_activation();
  const ModuleId second = tree.find_as_called("layer.1.act");
  const ModuleTree copy = tree.copy();
  EXPECT_TRUE(copy.is_same_module(second, copy.find("layer.0.act")));
  EXPECT_EQ(copy[copy.find("layer.0.act")].aliases, tree[tree.find("layer.0.act")].aliases);
  EXPECT_EQ(copy[second].aliases, std::vector<std::string_view>{"layer.0.act"});
}

TEST(ModuleTree, RejectsInvalidPaths) {
  ModuleTree tree;
  for (const char* path : {".a", "a.", "a..b"}) EXPECT_EQ(tree.add(path), no_module) << path;
  EXPECT_EQ(tree.add(std::string(ModuleTree::max_path_length + 1, 'a')), no_module);
  std::string deep = "a";
  for (std::size_t i = 0; i < ModuleTree::max_depth; ++i) deep += ".a";
  EXPECT_EQ(tree.add(deep), no_module);
}

TEST(ModuleTree, FindsCommonAncestors) {
  ModuleTree tree;
  const ModuleId query = tree.add("layer.0.attention.query"), key = tree.add("layer.0.attention.key"),
                 other = tree.add("layer.10.mlp");
  EXPECT_EQ(tree[tree.nearest_common_module(query, key)].path, "layer.0.attention");
  EXPECT_EQ(tree[tree.nearest_common_module(query, other)].path, "layer");
  EXPECT_EQ(tree.nearest_runnable(tree.nearest_common_module(query, other)), root);
  EXPECT_FALSE(tree.is_within(tree.find("layer.10"), tree.add("layer.1")));
}

TEST(Layers, AreIntegersWherePathsDiffer) {
  EXPECT_TRUE(are_in_different_layers("encoder.layer.1.mlp", "encoder.layer.10.mlp"));
  EXPECT_FALSE(are_in_different_layers("encoder.layer.1.mlp", "encoder.layer.1.attention"));
  EXPECT_FALSE(are_in_different_layers("encoder.layer.1", "encoder.layer"));
  EXPECT_FALSE(are_in_different_layers("convs.0", "norms.0"));
  EXPECT_FALSE(are_in_different_layers("a.1", "a.b"));
  EXPECT_FALSE(are_in_different_layers("a", "a"));
}

TEST(Layers, OutermostFirst) {
  ModuleTree tree;
  const ModuleId deep = tree.add("stages.2.blocks.1.mlp.fc");
  const auto steps = tree.layer_path(deep);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].container, "stages");
  EXPECT_EQ(steps[0].index, 2u);
  EXPECT_EQ(steps[1].container, "stages.2.blocks");
}

TEST(Layers, ElementsOfASequenceAreNoLayers) {
  ModuleTree tree;
  tree.add("head", "torch.nn.modules.container.Sequential");
  const ModuleId linear = tree.add("head.0", "torch.nn.modules.linear.Linear");
  tree.add("head.1", "torch.nn.modules.activation.ReLU");
  EXPECT_TRUE(tree.layer_path(linear).empty());
}

TEST(ClassFilter, SkipsTorchNnExceptExceptions) {
  ModuleTree tree;
  const ModuleId block = tree.add("block", "pkg.Block");
  const ModuleId linear = tree.add("block.fc", "torch.nn.modules.linear.Linear");
  const ModuleId norm = tree.add("block.norm", "torch.nn.modules.normalization.LayerNorm");
  const ClassFilter usual;
  EXPECT_EQ(usual.hf_module(tree, linear), block);
  EXPECT_EQ(usual.hf_module(tree, norm), norm);
  EXPECT_EQ(ClassFilter({"Linear"}).hf_module(tree, linear), linear);
  EXPECT_EQ(usual.hf_module(tree, root), no_module);
}

TEST(Children, AreInNaturalOrderUnlessTheyWereRegistered) {
  const auto names = [](const ModuleTree& tree) {
    std::vector<std::string_view> found;
    for (const ModuleId child : tree.ordered_children(root)) found.push_back(tree[child].name());
    return found;
  };
  ModuleTree tree;
  for (const char* path : {"layer10", "layer2", "conv"}) tree.add(path);
  EXPECT_EQ(names(tree), (std::vector<std::string_view>{"conv", "layer2", "layer10"}));
  tree.set_registration_order();
  EXPECT_EQ(names(tree), (std::vector<std::string_view>{"layer10", "layer2", "conv"}));
  EXPECT_EQ(names(tree.copy()), names(tree));
}

}  // namespace
}  // namespace thence::modules
