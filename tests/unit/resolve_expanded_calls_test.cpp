// Answers for copies of nodes, in terms of the model with functions.
#include "resolve/expanded_calls.h"

#include <gtest/gtest.h>

#include "evidence_parts.h"
#include "functions/origin.h"
#include "onnx/layout.h"

namespace thence::resolve {
namespace {

using test::node;

test::Message with_origin(test::Message message, std::string_view origin) {
  return message.inner(onnx::NodeField::metadata_props,
                       test::Message()
                           .text(onnx::EntryField::key, functions::origin_key)
                           .text(onnx::EntryField::value, origin));
}

// A call of a function that has one node, and the two modules of a fused copy of it.
class ExpandedCallsTest : public testing::Test {
 protected:
  ExpandedCallsTest() {
    test::Message call = node("F", {"x"}, {"y"}, "/a/F");
    call.text(onnx::NodeField::domain, "own");
    test::Message model = test::model(test::graph({call}, {"x"}, {"y"}));
    model.inner(onnx::ModelField::functions, test::function("F", {node("Conv", {"p"}, {"q"})}, {"p"}, {"q"})
                                                 .text(onnx::FunctionField::domain, "own"));
    bytes_ = model.bytes();
    tree_.add("act", "");
    tree_.add("conv", "");
    resolution_.nodes.resize(2);
  }

  // The answer for the function's node, if its copy with this origin belongs to `act` and `conv` computes it.
  Attribution answer_for(std::string_view origin) {
    const std::string copy =
        test::model(test::graph({with_origin(node("Conv", {"x"}, {"y"}), origin)})).bytes();
    Diagnostics ignored;
    const Result<onnx::Model> model = onnx::Model::read(bytes_, "model", ignored);
    const Result<onnx::Model> expanded = onnx::Model::read(copy, "expanded", ignored);
    modules::ModuleTree tree;  // with other ids
    for (const char* path : {"x", "y", "conv", "act"}) tree.add(path, "");
    Resolution found;
    found.nodes.resize(1);
    found.nodes[0].module = tree.find("act");
    found.nodes[0].computing = found.nodes[0].weight_owner = tree.find("conv");
    found.nodes[0].reason = Reason::none;
    apply_expanded_calls({*expanded, tree, found}, *model, tree_, resolution_);
    return resolution_.nodes[1];
  }

  std::string bytes_;
  modules::ModuleTree tree_;
  Resolution resolution_;
};

TEST_F(ExpandedCallsTest, TranslatesEveryModuleOfAnAnswer) {
  const Attribution answer = answer_for("0.1");
  EXPECT_EQ(answer.module, tree_.find("act"));
  EXPECT_EQ(answer.weight_owner, tree_.find("conv"));
  EXPECT_EQ(answer.computing, tree_.find("conv"));
  EXPECT_EQ(answer.rule, DecisionRule::expanded_calls);
}

// A file may have any text under the key.
TEST_F(ExpandedCallsTest, IgnoresOriginsThatAreNone) {
  for (const char* origin : {"0.0", "0.7", "7.1.9", ".", "0..", "x.y", "99999999999.99999999999", "0.-1"})
    EXPECT_FALSE(answer_for(origin).known()) << origin;
}

}  // namespace
}  // namespace thence::resolve
