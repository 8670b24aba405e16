#include "evidence/strength.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace thence::evidence {
namespace {

std::string alignment(bool reordered, bool shape_or_constant, Certainty certainty) {
  return std::string(name_of({.statement = Statement::alignment,
                              .certainty = certainty,
                              .is_reordered = reordered,
                              .is_shape_or_constant = shape_or_constant}));
}

std::string matched(NodeMatch match) {
  return std::string(name_of({.statement = Statement::proof, .match = match}));
}

// The names are keys of schema/calibration.json and of the JSON that `explain` prints.
TEST(Strength, NamesOfReadings) {
  EXPECT_EQ(name_of(Strength{}), "names_one");
  EXPECT_EQ(name_of({.reading = NameReading::uncorroborated}), "uncorroborated");
  EXPECT_EQ(name_of({.reading = NameReading::inferred_call}), "inferred_call");
  EXPECT_EQ(name_of({.reading = NameReading::foreign}), "foreign");
  EXPECT_EQ(name_of({.reading = NameReading::rewritten}), "rewritten");
  EXPECT_EQ(name_of({.reading = NameReading::leading_view}), "leading_view");
  EXPECT_EQ(name_of({.statement = Statement::parameter}), "reads");
  EXPECT_EQ(name_of({.statement = Statement::parameter, .is_in_body = true}), "reads_in_body");
  EXPECT_EQ(name_of({.statement = Statement::parameter, .is_by_content = true}), "holds");
  EXPECT_EQ(name_of({.reading = NameReading::by_weights}), "by_weights");
  EXPECT_EQ(name_of({.reading = NameReading::by_outer_scope}), "by_outer_scope");
  EXPECT_EQ(name_of({.reading = NameReading::scope}), "scope");
}

TEST(Strength, NamesOfAlignments) {
  EXPECT_EQ(alignment(false, false, Certainty::full), "aligned");
  EXPECT_EQ(alignment(false, false, Certainty::low), "aligned_uncertain");
  EXPECT_EQ(alignment(false, true, Certainty::full), "aligned_shape");
  EXPECT_EQ(alignment(false, true, Certainty::low), "aligned_shape_uncertain");
  EXPECT_EQ(alignment(true, false, Certainty::full), "reordered");
  EXPECT_EQ(alignment(true, false, Certainty::most), "reordered_majority");
  EXPECT_EQ(alignment(true, false, Certainty::low), "reordered_disputed");
  EXPECT_EQ(alignment(true, true, Certainty::full), "reordered_shape");
  EXPECT_EQ(alignment(true, true, Certainty::most), "reordered_shape_majority");
  EXPECT_EQ(alignment(true, true, Certainty::low), "reordered_shape_disputed");
  EXPECT_EQ(name_of({.statement = Statement::alignment, .is_relabelled = true}), "relabelled");
}

TEST(Strength, NamesOfMatches) {
  EXPECT_EQ(matched(NodeMatch::same_node), "same_node");
  EXPECT_EQ(matched(NodeMatch::same_inputs), "same_inputs");
  EXPECT_EQ(matched(NodeMatch::same_weight), "same_weight");
  EXPECT_EQ(matched(NodeMatch::same_consumers), "same_consumers");
  EXPECT_EQ(matched(NodeMatch::same_region), "same_region");
  EXPECT_EQ(matched(NodeMatch::unique_remaining), "unique_remaining");
  EXPECT_EQ(matched(NodeMatch::same_view), "same_view");
  EXPECT_EQ(matched(NodeMatch::inserted), "inserted");
  EXPECT_EQ(matched(NodeMatch::feeds_matched), "feeds_matched");
  EXPECT_EQ(matched(NodeMatch::feeds_matched_indirectly), "feeds_matched_indirectly");
}

TEST(Strength, RivalsOutweighTheOtherFields) {
  for (const Statement statement : {Statement::name, Statement::alignment, Statement::proof}) {
    EXPECT_EQ(name_of({.statement = statement, .has_rivals = true}), "names_several");
    EXPECT_EQ(name_of({.statement = statement, .has_rivals = true, .is_secondary = true}), "names_several");
    EXPECT_EQ(name_of({.statement = statement, .is_secondary = true}), "secondary");
  }
}

TEST(Strength, HasANameForEveryKey) {
  std::set<std::string_view> names;
  for (std::size_t key = 0; key < strength_count; ++key) names.insert(name_of_key(key));
  EXPECT_EQ(names.size(), strength_count);
}

}  // namespace
}  // namespace thence::evidence
