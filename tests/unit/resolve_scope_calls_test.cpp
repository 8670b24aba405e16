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

}  // namespace
}  // namespace thence::resolve
