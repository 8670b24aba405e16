// Capture files.
#include <gtest/gtest.h>

#include "capture/capture.h"

namespace thence::capture {
namespace {

TEST(Capture, IsReadSectionBySection) {
  Diagnostics diagnostics;
  const auto capture = read_capture(
      R"({"schema":"thence.capture/1","sections":{"hierarchy":{"version":1,"modules":[{"path":"","class":"pkg.Net","calls":1},)"
      R"({"path":"fc","class":"torch.nn.Linear","aliases":["head"],"calls":2}],"parameters":[{"path":"fc.weight"}]},"other":{}}})",
      "test", diagnostics);
  ASSERT_TRUE(capture);
  EXPECT_TRUE(capture->tree.is_complete());
  EXPECT_EQ(capture->tree.find("head"), capture->tree.find("fc"));
  EXPECT_EQ(capture->tree[capture->tree.find("fc")].calls, 2u);
  EXPECT_EQ(capture->sections.size(), 2u);
  EXPECT_TRUE(diagnostics.empty());
}

// The rows of a body follow those of the main graph. It runs where a node refers to it, on its last
// arguments.
TEST(Capture, BodiesOfAnFxGraphAreReadWhereTheyRun) {
  Diagnostics diagnostics;
  const auto capture = read_capture(
      R"({"schema":"thence.capture/1","sections":{"hierarchy":{"version":1,"modules":[{"path":""},{"path":"fc"}]},)"
      R"("fx_graph":{"version":1,"nodes":[{"name":"x","op":"placeholder","target":"x"},)"
      R"({"name":"gt","op":"call_function","target":"gt","args":[{"node":"x"}]},)"
      R"({"name":"body_0","op":"get_attr","target":"body_0"},)"
      R"({"name":"cond","op":"call_function","target":"cond","args":[{"node":"gt"},{"node":"body_0"},[{"node":"x"}]]},)"
      R"({"name":"last","op":"call_function","target":"last","args":[{"node":"cond"}]},)"
      R"({"name":"y","op":"placeholder","target":"y","graph":"body_0"},)"
      R"({"name":"inner","op":"call_function","target":"inner","graph":"body_0","args":[{"node":"y"}]},)"
      R"({"name":"lost","op":"call_function","target":"lost","graph":"unused","args":[]}]}}})",
      "test", diagnostics);
  ASSERT_TRUE(capture && capture->fx);
  const Recording& fx = *capture->fx;
  std::vector<std::string> steps;
  for (const RecordedStep& step : fx.steps) steps.push_back(fx.op_names[step.op_name]);
  EXPECT_EQ(steps, (std::vector<std::string>{"gt", "cond", "inner", "last", "lost"}));
  EXPECT_EQ(fx.inputs(2)[0], fx.inputs(0)[0]) << "y is x";
}

// Exporters write the condition of a loop before it and at the end of its body.
TEST(Capture, TheConditionOfALoopIsReadTwice) {
  Diagnostics diagnostics;
  const auto capture = read_capture(
      R"({"schema":"thence.capture/1","sections":{"hierarchy":{"version":1,"modules":[{"path":""}]},)"
      R"("fx_graph":{"version":1,"nodes":[{"name":"go","op":"get_attr","target":"go"},)"
      R"({"name":"do","op":"get_attr","target":"do"},)"
      R"({"name":"loop","op":"call_function","target":"while_loop","args":[{"node":"go"},{"node":"do"},[]]},)"
      R"({"name":"lt","op":"call_function","target":"lt","graph":"go"},)"
      R"({"name":"add","op":"call_function","target":"add","graph":"do"}]}}})",
      "test", diagnostics);
  ASSERT_TRUE(capture && capture->fx);
  std::vector<std::string> steps;
  for (const RecordedStep& step : capture->fx->steps) steps.push_back(capture->fx->op_names[step.op_name]);
  EXPECT_EQ(steps, (std::vector<std::string>{"lt", "while_loop", "add", "lt"}));
}

TEST(Capture, RejectsInvalidFiles) {
  Diagnostics diagnostics;
  for (
      const char* text :
      {"", "{", "[]", "{}", R"({"schema":"thence.capture/1"})",
       R"({"schema":"thence.capture/1","sections":{}})",
       R"({"schema":"thence.capture/1","sections":{"hierarchy":{"version":1}}})",
       R"({"schema":"thence.capture/1","sections":{"hierarchy":{"version":1,"modules":[{"path":"a..b"}]}}})"})
    EXPECT_FALSE(read_capture(text, "test", diagnostics)) << text;
}

}  // namespace
}  // namespace thence::capture
