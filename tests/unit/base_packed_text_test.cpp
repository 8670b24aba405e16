#include "base/packed_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace thence::base {
namespace {

RC_GTEST_PROP(PackedText, GivesBackAnyBytes, (const std::string& part, const std::string& other)) {
  std::string bytes = part + other + part + part + std::string(1000, 'a') + other;
  RC_ASSERT(unpack_text(pack_text(bytes), bytes.size()) == bytes);
  RC_ASSERT(!unpack_text(pack_text(bytes), bytes.size() - 1));
}

TEST(PackedText, IsShortAndPrintable) {
  std::string bytes;
  for (int layer = 0; layer < 100; ++layer)
    bytes += "/encoder/layer." + std::to_string(layer) + "/attention/self/query/MatMul_output_0";
  const std::string text = pack_text(bytes);
  EXPECT_LT(text.size(), bytes.size() / 4);
  for (const char c : text) EXPECT_TRUE(c > ' ' && c < 0x7f);
}

TEST(PackedText, RefusesWhatItDidNotWrite) {
  const std::string text = pack_text("abcdefgh abcdefgh abcdefgh");
  EXPECT_FALSE(unpack_text("", 100));
  EXPECT_FALSE(unpack_text("!" + text, 100));
  for (std::size_t size = 0; size + 4 < text.size(); ++size)
    EXPECT_FALSE(unpack_text(text.substr(0, size), 100));
}

TEST(PackedText, AShortTextDoesNotBecomeAGigabyte) {
  std::string bomb = pack_text(std::string(std::size_t{1} << 20, 'a'));
  EXPECT_LT(bomb.size(), 2000u);
  EXPECT_FALSE(unpack_text(bomb, 1 << 16));
}

TEST(PackedReader, FailsPastTheEnd) {
  std::string bytes;
  append_number(bytes, 300);
  append_text(bytes, "abc");
  PackedReader reader(bytes);
  EXPECT_EQ(reader.number(), 300u);
  EXPECT_EQ(reader.text(), "abc");
  EXPECT_TRUE(reader.at_end());
  EXPECT_FALSE(reader.failed());
  EXPECT_EQ(reader.text(), "");
  EXPECT_TRUE(reader.failed());
}

}  // namespace
}  // namespace thence::base
