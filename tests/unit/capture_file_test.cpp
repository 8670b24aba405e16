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
