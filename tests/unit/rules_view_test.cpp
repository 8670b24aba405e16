// The view that rules make of a tree: every module is reported as a module of the view.
#include <gtest/gtest.h>

#include <string>

#include "rules/explain.h"
#include "rules/read.h"
#include "rules/view.h"

namespace thence::rules {
namespace {

using modules::ClassFilter;
using modules::ModuleId;
using modules::ModuleTree;

ModuleTree layers() {
  ModuleTree tree;
  tree.add("", "pkg.Net");
  tree.add("layers", "torch.nn.modules.container.ModuleList");
  for (const std::string layer : {"layers.0", "layers.1"}) {
    tree.add(layer, "pkg.Layer");
    tree.add(layer + ".q", "torch.nn.modules.linear.Linear");
    tree.add(layer + ".k", "torch.nn.modules.linear.Linear");
    tree.add(layer + ".norm", "torch.nn.modules.normalization.LayerNorm");
  }
  return tree;
}

Rules rules_of(const std::string& text) {
  Result<Rules> rules = read_rules(text, "test.toml");
  EXPECT_TRUE(rules) << rules.error().text;
  return *std::move(rules);
}

// The paths of a view, indented by depth, a line each.
std::string drawn(const View& view) {
  std::string text;
  for (ModuleId id = 0; id < view.tree.size(); ++id) {
    for (ModuleId at = id; at != modules::root; at = view.tree[at].parent) text += ' ';
    text += std::string(view.tree[id].path) + '\n';
  }
  return text;
}

std::string drawn(const std::string& text, Granularity granularity = Granularity::custom) {
  const Rules rules = rules_of(text);
  const ModuleTree tree = layers();
  const Result<View> view = make_view(tree, rules, granularity, ClassFilter());
  if (!view) return view.error().text;
  EXPECT_EQ(view->reported_as.size(), tree.size());
  for (const ModuleId reported : view->reported_as) EXPECT_LT(reported, view->tree.size());
  for (ModuleId id = 1; id < view->tree.size(); ++id) EXPECT_LT(view->tree[id].parent, id);
  return drawn(*view);
}

TEST(View, GranularityChoosesByClass) {
  EXPECT_EQ(drawn("", Granularity::hf), "\n layers.0\n  layers.0.norm\n layers.1\n  layers.1.norm\n");
  EXPECT_EQ(drawn("", Granularity::nn), drawn("", Granularity::as_is));
  EXPECT_EQ(drawn("", Granularity::nn), drawn(""));
}

TEST(View, TheLastOfShowAndHideWins) {
  EXPECT_EQ(drawn("[[hide]]\npath = '**'\n[[show]]\npath = 'layers.*'"), "\n layers.0\n layers.1\n");
  EXPECT_EQ(drawn("[[show]]\npath = 'layers.*'\n[[hide]]\npath = '**'"), "\n");
  EXPECT_EQ(drawn("granularity = 'hf'\n[[hide]]\nclass = 'LayerNorm'"), "\n layers.0\n layers.1\n");
  EXPECT_EQ(drawn("granularity = 'hf'\n[[hide]]\nclass = 'torch.nn.**.LayerNorm'"),
            "\n layers.0\n layers.1\n");
  EXPECT_EQ(drawn("[[hide]]\npath = '**'\n[[show]]\nclass = 'L*'\npath = '**.q'"),
            "\n layers.0.q\n layers.1.q\n");
}

TEST(View, CollapseHidesSubmodules) {
  EXPECT_EQ(drawn("[[collapse]]\nclass = 'Layer'\n[[show]]\npath = '**.q'"),
            "\n layers\n  layers.0\n  layers.1\n");
  EXPECT_EQ(drawn("[[collapse]]\nclass = 'Net'"), "\n");
}

TEST(View, JoinMergesModules) {
  EXPECT_EQ(drawn("granularity = 'hf'\n[[join]]\npath = ['layers.*.q', 'layers.*.k']\nas = 'layers.{1}.qk'"),
            "\n layers.0\n  layers.0.qk\n  layers.0.norm\n layers.1\n  layers.1.qk\n  layers.1.norm\n");
  EXPECT_EQ(drawn("granularity = 'hf'\n[[join]]\npath = 'layers.*'\nas = 'stack'"), "\n stack\n");
  EXPECT_EQ(drawn("granularity = 'hf'\n[[join]]\npath = ['layers.*.q', 'layers.*.k']\nas = 'layers.{1}.qk'\n"
                  "[[rename]]\npath = 'layers.*'\nto = 'block.{1}'"),
            "\n block.0\n  block.0.qk\n  block.0.norm\n block.1\n  block.1.qk\n  block.1.norm\n");
  const Rules rules = rules_of("[[join]]\npath = 'layers.*'\nas = 'stack'");
  const ModuleTree tree = layers();
  const Result<View> view = make_view(tree, rules, Granularity::custom, ClassFilter());
  const ModuleId stack = view->tree.find("stack");
  EXPECT_EQ(view->tree[stack].class_name, "pkg.Layer");
  EXPECT_EQ(view->reported_as[tree.find("layers.1.q")], stack);
  EXPECT_EQ(tree[view->originals[stack]].path, "layers");
}

TEST(View, RenameAppliesToSubmodules) {
  EXPECT_EQ(drawn("granularity = 'hf'\n[[rename]]\npath = 'layers.*'\nto = 'block{1}'"),
            "\n block0\n  block0.norm\n block1\n  block1.norm\n");
  EXPECT_EQ(drawn("granularity = 'hf'\n[[rename]]\npath = 'layers'\nto = 'h'"),
            "\n h.0\n  h.0.norm\n h.1\n  h.1.norm\n");
  EXPECT_EQ(drawn("[[rename]]\npath = 'layers.*'\nto = 'block'"),
            "test.toml:1:1: this rename gives 'layers.1' the path 'block', which 'layers.0' has");
  EXPECT_EQ(drawn("[[rename]]\npath = 'layers.0'\nto = 'layers.1'"),
            "test.toml:1:1: this rename gives 'layers.0' the path 'layers.1', which 'layers.1' has");
}

TEST(View, RulesSelectOnlyWithCustomGranularity) {
  EXPECT_EQ(drawn("[[hide]]\npath = '**'\n[[rename]]\npath = 'layers'\nto = 'h'", Granularity::hf),
            "\n h.0\n  h.0.norm\n h.1\n  h.1.norm\n");
}

TEST(View, LaterRolesWinFieldByField) {
  const Rules rules = rules_of(
      "[[role]]\nclass = 'Linear'\nsemantic_type = 'mix'\ncomponent = 'a'\n[[role]]\npath = "
      "'**.q'\ncomponent = 'b'");
  const ModuleTree tree = layers();
  const Result<View> view = make_view(tree, rules, Granularity::as_is, ClassFilter());
  const RoleOverride q = view->roles.at(view->tree.find("layers.0.q")),
                     k = view->roles.at(view->tree.find("layers.0.k"));
  EXPECT_EQ(q.type, "mix");
  EXPECT_EQ(q.component, "b");
  EXPECT_EQ(k.component, "a");
  EXPECT_FALSE(view->roles.contains(view->tree.find("layers.0")));
}

TEST(View, AppliedRulesAreInOrderOfEffect) {
  const Rules rules = rules_of(
      "[[rename]]\npath = 'layers.*'\nto = 'b.{1}'\n[[collapse]]\nclass = 'Layer'\n[[hide]]\npath = '**.q'\n"
      "[[show]]\npath = '**.q'\n[[role]]\npath = '**.q'\ncomponent = 'b'");
  const ModuleTree tree = layers();
  const Result<View> view = make_view(tree, rules, Granularity::custom, ClassFilter());
  std::string text;
  for (const AppliedRule& step :
       applied_rules(tree, rules, Granularity::custom, *view, tree.find("layers.0.q")))
    text += std::string(name_of(step.rule->kind)) + " " + step.matched_path + ": " + step.effect + "\n";
  EXPECT_EQ(text,
            "hide layers.0.q: a later rule wins\n"
            "show layers.0.q: no effect: an enclosing module is collapsed or joined\n"
            "collapse layers.0: shown as the enclosing module\n"
            "rename layers.0: renamed to b.{1}\n"
            "role layers.0.q: no effect: it is shown as another module\n");
}

}  // namespace
}  // namespace thence::rules
