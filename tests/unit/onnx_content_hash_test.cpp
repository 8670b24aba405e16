#include "onnx/content_hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>

namespace thence::onnx {
namespace {

std::string bytes_of(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

RC_GTEST_PROP(ContentHash, UnorderedSurvivesAnyOrder, (std::vector<float> values)) {
  const ContentHash before = hash_content(bytes_of(values), 4);
  std::reverse(values.begin(), values.end());
  const ContentHash after = hash_content(bytes_of(values), 4);
  RC_ASSERT(before.unordered == after.unordered);
  RC_ASSERT(before.elements == values.size());
}

TEST(ContentHash, DistinguishesValuesAndWidths) {
  const ContentHash ones = hash_content(bytes_of({1, 1}), 4), twos = hash_content(bytes_of({1, 2}), 4);
  EXPECT_NE(ones.unordered, twos.unordered);
  EXPECT_NE(ones.exact, twos.exact);
  EXPECT_NE(hash_content(std::string(8, '\0'), 4).unordered, hash_content(std::string(8, '\0'), 8).unordered);
}

RC_GTEST_PROP(ContentHash, FormattedHashesParse, (std::uint64_t hash)) {
  RC_ASSERT(parse_hash(format_hash(hash)) == hash);
}

TEST(ContentHash, RejectsInvalidHashes) {
  for (const char* text : {"", "12", "zz00000000000000", "0123456789abcdef0"})
    EXPECT_FALSE(parse_hash(text)) << text;
}

// The sums of small elements are two numbers, which must not carry into each other.
TEST(ContentHash, PiecesHashAsTheirConcatenation) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes.push_back(static_cast<char>(i * 37 % 251));
  for (const unsigned width : {1u, 2u, 4u, 8u, 16u}) {
    const ContentHash whole = hash_content(bytes, width);
    const std::string_view all = bytes;
    const std::string_view pieces[] = {all.substr(0, 1600), all.substr(1600, 32), all.substr(1632)};
    const ContentHash parts = hash_content(pieces, width);
    EXPECT_EQ(parts.exact, whole.exact) << width;
    EXPECT_EQ(parts.unordered, whole.unordered) << width;
    EXPECT_EQ(parts.elements, whole.elements) << width;
  }
}

}  // namespace
}  // namespace thence::onnx
