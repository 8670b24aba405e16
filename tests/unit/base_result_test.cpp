// Result contains a value or an error; Diagnostics keeps a few of each code and counts them all.
#include <gtest/gtest.h>

#include <memory>

#include "base/diagnostic.h"
#include "base/result.h"

namespace thence {
namespace {

Result<std::string> half(int number) {
  if (number % 2 != 0) return Error{ErrorKind::usage, "X001", "odd", "give an even number"};
  return std::to_string(number / 2);
}

TEST(Result, HoldsTheValue) {
  const Result<std::string> result = half(8);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, "4");
  EXPECT_EQ(result->size(), 1u);
}

TEST(Result, HoldsTheError) {
  const Result<std::string> result = half(7);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  EXPECT_EQ(result.error().code, "X001");
  EXPECT_EQ(result.error().hint, "give an even number");
}

TEST(Result, MovesOutAMoveOnlyValue) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(ErrorKind, IsTheExitCode) {
  EXPECT_EQ(static_cast<int>(ErrorKind::usage), 2);
  EXPECT_EQ(static_cast<int>(ErrorKind::bad_input), 3);
  EXPECT_EQ(static_cast<int>(ErrorKind::input_output), 4);
}

TEST(Diagnostics, BeginEmpty) {
  const Diagnostics diagnostics;
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_TRUE(diagnostics.counts().empty());
}

TEST(Diagnostics, KeepTheFirstFewOfEachCodeAndCountTheRest) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1000; ++i) {
    diagnostics.add({"A", Severity::warning, "node " + std::to_string(i), "odd"});
    if (i % 500 == 0) diagnostics.add({"B", Severity::note, "", "fine"});
  }
  EXPECT_EQ(diagnostics.counts().at("A"), 1000u);
  EXPECT_EQ(diagnostics.counts().at("B"), 2u);
  ASSERT_EQ(diagnostics.kept().size(), Diagnostics::kept_per_code + 2);
  EXPECT_EQ(diagnostics.kept()[0].where, "node 0");
  EXPECT_EQ(diagnostics.kept()[1].code, "B");
  EXPECT_EQ(diagnostics.kept()[5].where, "node 4");
  EXPECT_EQ(diagnostics.kept()[6].code, "B") << "another code still has room";
}

TEST(Diagnostics, AreMadeOnlyWhenKept) {
  Diagnostics diagnostics;
  std::size_t made = 0;
  for (int i = 0; i < 100; ++i)
    diagnostics.add("A", [&] {
      ++made;
      return Diagnostic{"A", Severity::warning, "", ""};
    });
  EXPECT_EQ(made, Diagnostics::kept_per_code);
  EXPECT_EQ(diagnostics.counts().at("A"), 100u);
}

}  // namespace
}  // namespace thence
