// The fast scan finds the same byte as a plain loop, at every position.
#include "base/plain_prefix.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace thence::base {
namespace {

TEST(PlainPrefix, FindsEveryByteAtEveryPosition) {
  for (int byte = 0; byte < 256; ++byte)
    for (std::size_t length = 1; length < 20; ++length)
      for (std::size_t at = 0; at < length; ++at) {
        std::string text(length, 'a');
        text[at] = static_cast<char>(byte);
        const bool printable = byte >= 0x20 && byte < 0x7f;
        ASSERT_EQ(plain_prefix<>(text), printable ? length : at) << byte;
        ASSERT_EQ((plain_prefix<',', '"'>(text)), printable && byte != ',' && byte != '"' ? length : at)
            << byte;
      }
}

TEST(PlainPrefix, AnyBytes) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    std::size_t length = 0;
    while (length < text.size() && text[length] >= 0x20 && text[length] < 0x7f && text[length] != '"')
      ++length;
    RC_ASSERT(plain_prefix<'"'>(text) == length);
  }));
}

}  // namespace
}  // namespace thence::base
