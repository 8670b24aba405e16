#include "pipeline/enclosed_answers.h"

#include <gtest/gtest.h>

#include "ancestor_parts.h"
#include "graph_parts.h"

namespace thence::pipeline {
namespace {

using evidence::AncestorAnswers;
using evidence::NodeMatch;
using modules::ModuleId;
using test::answers_of;
using test::graph;
using test::node;
using test::unmatched;

std::vector<ModuleId> answered(const test::Message& file, const std::vector<ModuleId>& modules) {
  const test::ReadModel file_read(test::model(file));
  AncestorAnswers answers = answers_of(modules);
  answer_enclosed_nodes(file_read.model(), answers);
  std::vector<ModuleId> found;
  for (onnx::NodeId id = 0; id < modules.size(); ++id) {
    const auto of_node = answers.modules_of(id);
    found.push_back(of_node.empty() ? unmatched : of_node.front());
    if (modules[id] == unmatched && !of_node.empty()) {
      EXPECT_EQ(answers.answers[id].strength.match, NodeMatch::enclosed);
    }
  }
  return found;
}

const test::Message chain = graph({node("Relu", {"x"}, {"a"}), node("Erf", {"a"}, {"b"}),
                                   node("Mul", {"b", "b"}, {"c"}), node("Relu", {"c"}, {"y"})},
                                  {"x"}, {"y"});

TEST(EnclosedAnswers, NodesBetweenNodesOfOneModuleBelongToIt) {
  EXPECT_EQ(answered(chain, {1, unmatched, unmatched, 1}), (std::vector<ModuleId>{1, 1, 1, 1}));
}

TEST(EnclosedAnswers, NodesBetweenTwoModulesStayOpen) {
  EXPECT_EQ(answered(chain, {1, unmatched, unmatched, 2}),
            (std::vector<ModuleId>{1, unmatched, unmatched, 2}));
}

TEST(EnclosedAnswers, NodesBesideAnInputOrOutputStayOpen) {
  EXPECT_EQ(answered(chain, {unmatched, unmatched, 1, unmatched}),
            (std::vector<ModuleId>{unmatched, unmatched, 1, unmatched}));
}

}  // namespace
}  // namespace thence::pipeline
