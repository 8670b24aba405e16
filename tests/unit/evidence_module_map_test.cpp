#include <gtest/gtest.h>

#include "evidence_parts.h"

namespace thence::evidence {
namespace {

TEST(ModuleMap, NamesTheRecordedCallOfANode) {
  test::Capture capture = test::capture_of({"a", "b"});
  const modules::ModuleId b = capture.tree.find("b");
  capture.module_map.emplace();
  (*capture.module_map)["Relu_1"] = {.module = b, .call = 2};
  const test::ModelWithHierarchy net(test::model(test::graph({test::node("Relu", {"x"}, {"y"}, "Relu_0"),
                                                              test::node("Relu", {"y"}, {"z"}, "Relu_1")})),
                                     std::move(capture));
  Sink sink;
  collect_module_map(net.model(), net.hierarchy, sink);
  EXPECT_EQ(lines_of(net, sink, Source::trace_module_map), test::Lines{"1 b#2 names_one (Relu_1)"});
}

// Names that are numbers: another export gives them to other nodes.
TEST(ModuleMap, IsOnlyForItsOwnGraphIfNamesAreNumbers) {
  for (const std::uint64_t recorded : {2, 3}) {
    test::Capture capture = test::capture_of({"a"});
    capture.module_map.emplace();
    (*capture.module_map)["Relu_1"] = {.module = capture.tree.find("a")};
    capture.module_map_operators = {{"Relu", recorded}};
    const test::ModelWithHierarchy net(test::model(test::graph({test::node("Relu", {"x"}, {"y"}, "Relu_0"),
                                                                test::node("Relu", {"y"}, {"z"}, "Relu_1")})),
                                       std::move(capture));
    Sink sink;
    collect_module_map(net.model(), net.hierarchy, sink);
    EXPECT_EQ(sink.of(Source::trace_module_map).empty(), recorded != 2);
  }
}

TEST(ModuleMap, NamesNothingWithoutACapture) {
  const test::ModelWithHierarchy net(test::model(test::graph({test::node("Relu", {"x"}, {"y"}, "Relu_0")})));
  Sink sink;
  collect_module_map(net.model(), net.hierarchy, sink);
  EXPECT_TRUE(sink.of(Source::trace_module_map).empty());
}

}  // namespace
}  // namespace thence::evidence
