// Every distinct name gets a number, by first appearance, for tables of any size.
#include "onnx/names.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>
#include <string>

namespace thence::onnx {
namespace {

// Words in one text, as a file would hold them.
struct Words {
  explicit Words(const std::vector<std::string>& words) {
    for (const std::string& word : words) text += word;
    std::size_t at = 0;
    for (const std::string& word : words) {
      views.push_back(std::string_view(text).substr(at, word.size()));
      at += word.size();
    }
  }
  std::string text;
  std::vector<std::string_view> views;
};

std::vector<std::string> counted_words(std::size_t count) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) words.push_back("value_" + std::to_string(i));
  return words;
}

TEST(Slice, StoresTheLargestOffsetAndLength) {
  const Slice slice(Slice::max_offset, Slice::max_length);
  EXPECT_EQ(slice.offset(), Slice::max_offset);
  EXPECT_EQ(slice.length(), Slice::max_length);
  EXPECT_EQ(Slice(5, 3).in("onnx model"), "mod");
}

TEST(NameTable, NumbersNamesByFirstAppearance) {
  const Words words({"b", "a", "b", "", "ab", "a", ""});
  NameTable table(words.text, 4);
  std::vector<std::uint32_t> numbers;
  for (const auto word : words.views) numbers.push_back(table.intern(word));
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 1, 0, 2, 3, 1, 2}));
  EXPECT_EQ(table.size(), 4u);
  EXPECT_EQ(table.text(3), "ab");
  EXPECT_EQ(table.text(2), "");
}

TEST(NameTable, AnEmptyNameMayPointOutsideTheFile) {
  NameTable table("file", 1);
  EXPECT_EQ(table.text(table.intern(std::string_view())), "");
}

TEST(NameTable, GrowsBeyondTheExpectedSize) {
  const Words words(counted_words(100000));
  NameTable table(words.text, 0);
  for (std::uint32_t i = 0; i < words.views.size(); ++i) ASSERT_EQ(table.intern(words.views[i]), i);
  for (std::uint32_t i = 0; i < words.views.size(); ++i) ASSERT_EQ(table.intern(words.views[i]), i);
  for (std::uint32_t i = 0; i < words.views.size(); ++i) ASSERT_EQ(table.text(i), words.views[i]);
}

TEST(NameTable, BatchedAndSingleInterningAgree) {
  std::vector<std::string> twice = counted_words(5000);
  const std::vector<std::string> again = twice;
  twice.insert(twice.end(), again.begin(), again.end());
  const Words words(twice);
  NameTable table(words.text, 10);
  std::vector<std::uint32_t> numbers(words.views.size(), none);
  for (std::size_t i = 0; i < numbers.size(); ++i) table.intern_later(words.views[i], &numbers[i]);
  table.finish();
  std::vector<std::uint32_t> expected(again.size());
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), numbers.begin()));
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), numbers.begin() + 5000));
}

TEST(NameTable, TheLastNameForATargetWins) {
  const Words words({"first", "second"});
  NameTable table(words.text, 2);
  std::uint32_t place = none;
  table.intern_later(words.views[0], &place);
  table.intern_later(words.views[1], &place);
  table.finish();
  EXPECT_EQ(table.text(place), "second");
}

TEST(NameTable, InternFinishesPendingNames) {
  const Words words({"waiting", "now"});
  NameTable table(words.text, 2);
  std::uint32_t pending = none;
  table.intern_later(words.views[0], &pending);
  EXPECT_EQ(table.intern(words.views[1]), 1u);
  EXPECT_EQ(pending, 0u);
}

TEST(NameTable, NamesCanBeReadAfterSeal) {
  const Words words({"a", "b"});
  NameTable table(words.text, 2);
  std::uint32_t last = none;
  table.intern(words.views[0]);
  table.intern_later(words.views[1], &last);
  table.seal();
  EXPECT_EQ(table.text(0), "a");
  EXPECT_EQ(table.text(last), "b");
}

TEST(ProcessSeed, StaysTheSameInARun) { EXPECT_EQ(base::process_seed(), base::process_seed()); }

RC_GTEST_PROP(NameTable, NumbersDoNotDependOnTheSeed,
              (const std::vector<std::string>& texts, std::uint64_t seed, std::uint64_t other)) {
  const Words words(texts);
  NameTable table(words.text, 1, seed);
  NameTable another(words.text, texts.size(), other);
  std::map<std::string, std::uint32_t> expected;
  for (const auto word : words.views) {
    const auto number = expected.emplace(word, expected.size()).first->second;
    RC_ASSERT(table.intern(word) == number);
    RC_ASSERT(another.intern(word) == number);
  }
}

}  // namespace
}  // namespace thence::onnx
