// Stack traces, as PyTorch prints them, and malformed ones.
#include "output/source_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace thence::output {
namespace {

TEST(SourceLines, UserCodeFirstInnermostFirst) {
  const auto frames = read_frames(
      "File \"/people/a/net.py\", line 7, in forward\n    x = self.fc(x)\n"
      "  File \"/people/a/fc.py\", line 9, in forward\n    return linear(x)\n"
      "  File \"/usr/lib/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n    return "
      "F.linear(x)");
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].file, "/people/a/fc.py");
  EXPECT_EQ(frames[0].line, 9u);
  EXPECT_EQ(frames[0].function, "forward");
  EXPECT_EQ(frames[0].code, "return linear(x)");
  EXPECT_EQ(frames[1].line, 7u);
  EXPECT_EQ(frames[2].line, 134u);
}

TEST(SourceLines, OtherTextHasNoFrames) {
  for (const std::string_view text : {"", "\n\n", "File \"", "File \"a\", line x, in f", "File \"a\", line ,",
                                      "File \"a\", line 99999999999999999999, in f", "code alone"})
    EXPECT_TRUE(read_frames(text).empty()) << text;
  const auto frames = read_frames("File \"a\", line 3");
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].function.empty());
  EXPECT_TRUE(frames[0].code.empty());
}

TEST(SourceLines, DocStringsBeginWithTheInnermost) {
  const auto frames = read_frames(
      "/usr/lib/site-packages/torch/nn/modules/linear.py(134): forward\n/people/a/fc.py(9): forward\n"
      "/people/a/net.py(7): <module>\n");
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].file, "/people/a/fc.py");
  EXPECT_EQ(frames[0].line, 9u);
  EXPECT_EQ(frames[1].function, "<module>");
  EXPECT_EQ(frames[2].line, 134u);
  for (const std::string_view text : {"a.py(", "a.py(x): f", "a.py(1", "a.py(99999999999999999999): f"})
    EXPECT_TRUE(read_frames(text).empty()) << text;
}

TEST(SourceLines, ALongTraceKeepsItsInnermostFrames) {
  std::string trace;
  for (int i = 0; i < 1000; ++i) trace += "File \"a.py\", line " + std::to_string(i) + ", in f\n";
  const auto frames = read_frames(trace);
  ASSERT_EQ(frames.size(), 64u);
  EXPECT_EQ(frames[0].line, 999u);
}

}  // namespace
}  // namespace thence::output
