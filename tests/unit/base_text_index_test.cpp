#include "base/text_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/text_store.h"

namespace thence::base {
namespace {

TEST(TextIndex, FindsNothingWhenEmpty) {
  const TextIndex index;
  EXPECT_EQ(index.find("a", [](std::uint32_t) { return std::string_view(); }), TextIndex::not_found);
}

RC_GTEST_PROP(TextIndex, MatchesAMap, (const std::vector<std::string>& texts, std::uint8_t room)) {
  std::vector<std::string> kept;
  const auto text_of = [&](std::uint32_t number) { return std::string_view(kept[number]); };
  TextIndex index;
  index.reserve(room);
  std::map<std::string, std::uint32_t> expected;
  for (const std::string& text : texts) {
    const std::uint32_t found = index.find(text, text_of);
    RC_ASSERT((found == TextIndex::not_found) == !expected.contains(text));
    if (found != TextIndex::not_found) {
      RC_ASSERT(found == expected.at(text));
      continue;
    }
    const auto number = static_cast<std::uint32_t>(kept.size());
    kept.push_back(text);
    expected.emplace(text, number);
    index.add(text, number);
  }
  RC_ASSERT(index.size() == expected.size());
}

RC_GTEST_PROP(TextStore, KeepsTextsWhenItMoves, (const std::vector<std::string>& texts)) {
  TextStore store;
  std::vector<std::string_view> views;
  for (const std::string& text : texts) views.push_back(store.store(text));
  const TextStore moved = std::move(store);
  for (std::size_t i = 0; i < texts.size(); ++i) RC_ASSERT(views[i] == texts[i]);
}

TEST(TextStore, KeepsTextsLongerThanABlock) {
  TextStore store;
  const std::string text(100'000, 'x');
  const std::string_view first = store.store("a"), kept = store.store(text);
  EXPECT_EQ(kept, text);
  EXPECT_EQ(first, "a");
}

}  // namespace
}  // namespace thence::base
