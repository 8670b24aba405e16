#include "resolve/calls.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::resolve {
namespace {

using modules::CallNumber;
using test::graph;
using test::node;

// A model and its modules. Tests attribute its nodes, give some of them calls, and look at the calls of all.
class Calls : public testing::Test {
 protected:
  void make(const test::Message& file, test::Names paths) {
    read_.emplace(file);
    for (const std::string_view path : paths) tree_.add(path);
    resolution_.nodes.resize(read_->model().node_count());
  }
  void attribute(onnx::NodeId id, std::string_view path, CallNumber call = {}) {
    Attribution& known = resolution_.nodes[id];
    known.module = tree_.find(path);
    known.reason = Reason::none;
    known.set_call(call);
  }
  // The calls of all nodes; "-" if unknown.
  std::string run() {
    settle_calls(read_->model(), tree_, FlowIndex(read_->model()), resolution_);
    std::string calls;
    for (const Attribution& each : resolution_.nodes)
      calls += (calls.empty() ? "" : " ") + (each.call() ? std::to_string(*each.call()) : "-");
    return calls;
  }

  std::optional<test::ReadModel> read_;
  modules::ModuleTree tree_;
  Resolution resolution_;
};

TEST_F(Calls, AreUnknownWithoutEvidence) {
  make(test::model(graph({node("Relu", {"x"}, {"y"}), node("Abs", {"y"}, {"z"})})), {"a"});
  attribute(0, "a");
  EXPECT_EQ(run(), "- -");
}

TEST_F(Calls, OfAModuleThatRanOnceAreTheFirst) {
  make(test::model(graph({node("Relu", {"x"}, {"y"})})), {"a"});
  tree_.set_calls(tree_.find("a"), 1);
  attribute(0, "a");
  EXPECT_EQ(run(), "0");
}

TEST_F(Calls, OfTheRootAreTheFirst) {
  make(test::model(graph({node("Relu", {"x"}, {"y"})})), {"a"});
  attribute(0, "");
  EXPECT_EQ(run(), "0");
}

TEST_F(Calls, OfUnknownModulesAreUnknown) {
  make(test::model(graph({node("Relu", {"x"}, {"y"})})), {"a"});
  resolution_.nodes[0].set_call(1);
  EXPECT_EQ(run(), "-");
}

TEST_F(Calls, AreUnknownIfAnEarlierCallDependsOnALaterOne) {
  make(test::model(graph({node("Relu", {"x"}, {"a"}), node("Abs", {"a"}, {"b"}), node("Neg", {"b"}, {"c"}),
                          node("Exp", {"c"}, {"d"}), node("Log", {"d"}, {"y"})})),
       {"layer", "layer.act", "other"});
  attribute(0, "layer", 1);
  attribute(1, "layer", 0);
  attribute(2, "layer.act", 1);
  attribute(3, "other", 0);
  attribute(4, "other", 1);
  EXPECT_EQ(run(), "- - - 0 1");
}

TEST_F(Calls, ConstantsHaveTheCallOfTheirConsumers) {
  make(test::model(graph({node("Constant", {}, {"c"}), node("Mul", {"x", "c"}, {"y"}),
                          node("Constant", {}, {"d"}), node("Mul", {"y", "d"}, {"z"})})),
       {"a"});
  attribute(0, "a");
  attribute(1, "a", 0);
  attribute(2, "a");
  attribute(3, "a", 1);
  EXPECT_EQ(run(), "0 0 1 1");
}

TEST_F(Calls, DataBetweenTwoCallsIsUnknown) {
  make(test::model(graph({node("Relu", {"x"}, {"y"}), node("Abs", {"y"}, {"z"}), node("Relu", {"z"}, {"u"}),
                          node("Abs", {"u"}, {"v"}), node("Neg", {"v"}, {"w"})})),
       {"a"});
  attribute(0, "a", 0);
  attribute(1, "a");
  attribute(2, "a", 1);
  attribute(3, "a");
  attribute(4, "a", 1);
  EXPECT_EQ(run(), "0 - 1 1 1");
}

TEST_F(Calls, InALoopAreUnknownAsAreTheOthersOfTheModule) {
  make(test::model(graph(
           {node("Relu", {"x"}, {"y"}),
            node("Loop", {"n", "c", "y"}, {"z"})
                .inner(onnx::NodeField::attribute,
                       test::body("body", graph({node("Relu", {"u"}, {"v"}), node("Abs", {"v"}, {"w"})})))})),
       {"a", "b"});
  attribute(0, "a", 0);
  attribute(1, "b", 1);
  attribute(2, "a", 1);
  attribute(3, "");
  EXPECT_EQ(run(), "- 1 - 0");
}

TEST_F(Calls, InABranchAreThoseOfTheEvidence) {
  make(test::model(graph({node("If", {"c"}, {"z"})
                              .inner(onnx::NodeField::attribute,
                                     test::body("then_branch", graph({node("Relu", {"u"}, {"v"})})))})),
       {"a"});
  attribute(0, "a", 0);
  attribute(1, "a", 1);
  EXPECT_EQ(run(), "0 1");
}

}  // namespace
}  // namespace thence::resolve
