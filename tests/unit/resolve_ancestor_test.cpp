// Where the ancestor has no answer, the derived model's own evidence may have one.
#include "resolve/ancestor.h"

#include <gtest/gtest.h>

#include "graph_parts.h"

namespace thence::resolve {
namespace {

using evidence::AncestorAnswer;
using evidence::NoAnswer;

constexpr ModuleId left = 2, right = 3, other = 4;

modules::ModuleTree two_layers() {
  modules::ModuleTree tree;
  for (const char* path : {"layers.0", "layers.1", "head"}) tree.add(path);
  return tree;
}

struct OpenNode {
  explicit OpenNode(NoAnswer why, std::vector<ModuleId> candidates = {}) {
    AncestorAnswer answer;
    answer.no_answer = why;
    answer.module_count = static_cast<std::uint32_t>(candidates.size());
    ancestor.modules = std::move(candidates);
    ancestor.answers.push_back(answer);
    resolution.nodes.emplace_back();
    apply_ancestor_answers(ancestor, resolution);
  }

  ModuleId with_own(ModuleId module) {
    Resolution own;
    own.nodes.emplace_back();
    own.nodes[0].module = module;
    own.nodes[0].source = evidence::Source::onnx_scope_parsing;
    own.nodes[0].reason = Reason::none;
    for (const ModuleId name : proven_names) {
      own.nodes.push_back(own.nodes[0]);
      own.nodes.back().module = name;
    }
    own.module_sets.push_back({module, other});
    own.nodes[0].module_set = 1;
    add_own_answers(ancestor, two_layers(), own, has_weights, resolution);
    return resolution.nodes[0].module;
  }

  // Another node, which was matched by its weight.
  void add_proven(ModuleId by_ancestor, ModuleId by_name) {
    AncestorAnswer answer;
    answer.module_count = 1;
    answer.strength.match = evidence::NodeMatch::same_weight;
    ancestor.answers.push_back(answer);
    resolution.nodes.push_back(resolution.nodes[0]);
    resolution.nodes.back().module = by_ancestor;
    proven_names.push_back(by_name);
  }

  evidence::AncestorAnswers ancestor;
  Resolution resolution;
  std::vector<ModuleId> proven_names;
  bool has_weights = false;
};

TEST(AncestorTest, AnUnmatchedNodeGetsTheOwnAnswerWithItsModules) {
  OpenNode node(NoAnswer::not_matched);
  EXPECT_TRUE(leaves_open(node.ancestor, node.resolution));
  EXPECT_EQ(node.with_own(left), left);
  EXPECT_EQ(node.resolution.nodes[0].source, evidence::Source::onnx_scope_parsing);
  EXPECT_EQ(node.resolution.module_sets[node.resolution.nodes[0].module_set],
            (std::vector<ModuleId>{left, other}));
}

// In a graph that another tool built, which is no descendant of the ancestor.
TEST(AncestorTest, OwnEvidenceThatRestsOnWeightsOverrulesTheAncestor) {
  OpenNode node(NoAnswer::none);
  node.resolution.nodes[0].module = right;
  node.resolution.nodes[0].reason = Reason::none;
  EXPECT_EQ(node.with_own(left), right);
  node.has_weights = true;
  EXPECT_EQ(node.with_own(left), left);
}

TEST(AncestorTest, OwnEvidenceChoosesBetweenTheCandidatesOfTheAncestor) {
  EXPECT_EQ(OpenNode(NoAnswer::ambiguous, {left, right}).with_own(right), right);
}

TEST(AncestorTest, OwnEvidenceAddsNoCandidate) {
  OpenNode node(NoAnswer::ambiguous, {left, right});
  EXPECT_EQ(node.with_own(other), no_module);
  EXPECT_EQ(node.resolution.nodes[0].reason, Reason::ambiguous);
}

TEST(AncestorTest, AConstantOfSeveralModulesMayBelongToAnother) {
  EXPECT_EQ(OpenNode(NoAnswer::feeds_several, {left, right}).with_own(other), other);
}

TEST(AncestorTest, UnknownInTheAncestorAndRefutedStayUnknown) {
  for (const NoAnswer why : {NoAnswer::unknown_in_ancestor, NoAnswer::refuted}) {
    OpenNode node(why);
    EXPECT_FALSE(leaves_open(node.ancestor, node.resolution));
    EXPECT_EQ(node.with_own(left), no_module);
  }
}

TEST(AncestorTest, AnAnswerOfTheAncestorIsKept) {
  OpenNode node(NoAnswer::none);
  node.resolution.nodes[0].module = right;
  EXPECT_FALSE(leaves_open(node.ancestor, node.resolution));
  EXPECT_EQ(node.with_own(left), right);
}

TEST(AncestorTest, NamesThatToolsAppendToAreInherited) {
  const auto independent = [](std::string_view ours) {
    const test::ReadModel ancestor(
        test::exported(test::graph({test::node("Conv", {"x"}, {"y"}, "fc/Conv")})));
    const test::ReadModel derived(test::exported(test::graph({test::node("Conv", {"x"}, {"y"}, ours)})));
    return has_independent_names(ancestor.model(), derived.model());
  };
  EXPECT_TRUE(independent("node_conv2d"));
  EXPECT_FALSE(independent("fc/Conv"));
  EXPECT_FALSE(independent("fc/Conv_quant"));
  EXPECT_FALSE(independent("fc/Conv_output_0_QuantizeLinear"));
}

TEST(AncestorTest, NamesOfASecondExportOverruleTheAncestor) {
  OpenNode node(NoAnswer::none);
  node.resolution.nodes[0].module = right;
  node.add_proven(other, other);
  node.ancestor.has_independent_names = true;
  EXPECT_EQ(node.with_own(left), left);
  EXPECT_EQ(node.resolution.nodes[1].module, other);
}

TEST(AncestorTest, NamesThatContradictProofsAreNotUsed) {
  OpenNode overruled(NoAnswer::none);
  overruled.resolution.nodes[0].module = right;
  overruled.add_proven(left, right);
  overruled.ancestor.has_independent_names = true;
  EXPECT_EQ(overruled.with_own(left), right);
  OpenNode open(NoAnswer::not_matched);
  open.add_proven(left, right);
  EXPECT_EQ(open.with_own(left), no_module);
}

// A fused node has the name of another part.
TEST(AncestorTest, NamesOfOtherModulesOfTheSameLayerStillAnswer) {
  OpenNode open(NoAnswer::not_matched);
  open.add_proven(left, other);
  EXPECT_EQ(open.with_own(left), left);
  OpenNode known(NoAnswer::none);
  known.resolution.nodes[0].module = right;
  known.add_proven(left, other);
  known.ancestor.has_independent_names = true;
  EXPECT_EQ(known.with_own(left), right) << "but they overrule nothing";
}

}  // namespace
}  // namespace thence::resolve
