#include "resolve/scope_calls.h"

#include <gtest/gtest.h>

#include "evidence_parts.h"

namespace thence::resolve {
namespace {

using test::graph;
using test::node;

// Gives all nodes to the module "a" with the given calls, and returns what is left of the calls; "-" if none.
std::string calls_left(const test::ModelWithHierarchy& net, std::initializer_list<std::uint32_t> calls) {
  Resolution resolution;
  resolution.nodes.resize(net.model().node_count());
  auto call = calls.begin();
  for (Attribution& answer : resolution.nodes) {
    answer.module = net.hierarchy.tree().find("a");
    answer.reason = Reason::none;
    answer.set_call(*call++);
  }
  remove_calls_that_split_scopes(net.model(), net.hierarchy, resolution);
  std::string kept;
  for (const Attribution& answer : resolution.nodes)
    kept += (kept.empty() ? "" : " ") + (answer.call() ? std::to_string(*answer.call()) : "-");
  return kept;
}

test::ModelWithHierarchy three_nodes(std::string_view third_scope) {
  return test::ModelWithHierarchy(
      test::model(graph({node("Relu", {"x"}, {"y"}, "/a/Relu"), node("Abs", {"y"}, {"z"}, "/a/Abs"),
                         node("Neg", {"z"}, {"w"}, std::string(third_scope) + "/Neg")})),
      test::capture_of({"a"}));
}

TEST(ScopeCalls, StayIfEveryScopeHasOne) { EXPECT_EQ(calls_left(three_nodes("/a_1"), {0, 0, 1}), "0 0 1"); }

TEST(ScopeCalls, OfAModuleAreUnknownIfOneScopeHasSeveral) {
  EXPECT_EQ(calls_left(three_nodes("/a_1"), {0, 2, 1}), "- - -");
}

// Two modules that run as often as the one around them: one of them cannot be in another call than the other.
std::string calls_of_children(std::string_view second_scope, std::uint32_t second_call) {
  test::Capture capture = test::capture_of({"a", "a.fc", "a.norm"});
  for (const std::string_view path : {"a", "a.fc", "a.norm"})
    capture.tree.set_calls(capture.tree.find(path), 2);
  const test::ModelWithHierarchy net(
      test::model(graph({node("Relu", {"x"}, {"y"}, "/a/fc/Relu"),
                         node("Abs", {"y"}, {"z"}, std::string(second_scope) + "/Abs")})),
      std::move(capture));
  Resolution resolution;
  resolution.nodes.resize(2);
  const std::pair<std::string_view, std::uint32_t> answers[] = {{"a.fc", 0}, {"a.norm", second_call}};
  for (std::size_t i = 0; i < 2; ++i) {
    resolution.nodes[i].module = net.hierarchy.tree().find(answers[i].first);
    resolution.nodes[i].reason = Reason::none;
    resolution.nodes[i].set_call(answers[i].second);
  }
  remove_calls_that_split_scopes(net.model(), net.hierarchy, resolution);
  return resolution.nodes[0].call() ? "known" : "unknown";
}

TEST(ScopeCalls, OfModulesInOneCallOfTheirParentAreTheSame) {
  EXPECT_EQ(calls_of_children("/a/norm", 0), "known");
  EXPECT_EQ(calls_of_children("/a/norm_1", 1), "known");  // in the next call of the parent
  EXPECT_EQ(calls_of_children("/a/norm", 1), "unknown");
}

}  // namespace
}  // namespace thence::resolve
