#include "resolve/confidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/embedded.h"
#include "base/json.h"

namespace thence::resolve {
namespace {

using evidence::Source;
using evidence::Statement;
using evidence::Strength;

// The values are measured again from time to time: tests compare with the table itself.
class ConfidenceTableTest : public testing::Test {
 protected:
  std::optional<float> entry(std::string_view source, std::string_view key) const {
    const std::optional<double> value = document_.root()["confidence"][source][key].real();
    return value ? std::optional(static_cast<float>(*value)) : std::nullopt;
  }
  template <class IsLike>
  std::optional<float> lowest(std::string_view source, IsLike is_like) const {
    std::optional<float> found;
    for (const base::JsonMember row : document_.root()["confidence"][source].members())
      if (is_like(row.key)) found = std::min(found.value_or(1.0f), *entry(source, row.key));
    return found;
  }
  const base::JsonDocument document_{base::embedded_file("calibration.json")};
  const ConfidenceTable& shipped_ = ConfidenceTable::shipped();
};

constexpr std::array agreements_of_answers = {Agreement::confirmed, Agreement::confirmed_by_disputed,
                                              Agreement::alone, Agreement::unconfirmed,
                                              Agreement::contradicted};

TEST_F(ConfidenceTableTest, LooksUpSourceStrengthAndAgreement) {
  const Basis basis = ConfidenceTable::basis(Source::onnx_scope_parsing, {}, Agreement::alone);
  EXPECT_EQ(shipped_.name_of(basis), "onnx_scope_parsing/names_one/alone");
  ASSERT_TRUE(entry("onnx_scope_parsing", "names_one/alone"));
  EXPECT_EQ(shipped_.of(basis), entry("onnx_scope_parsing", "names_one/alone"));
  const Strength shape = {.statement = Statement::alignment,
                          .certainty = evidence::Certainty::most,
                          .is_reordered = true,
                          .is_shape_or_constant = true};
  EXPECT_EQ(shipped_.name_of(ConfidenceTable::basis(Source::fx_graph, shape, Agreement::contradicted)),
            "fx_graph/reordered_shape_majority/contradicted");
}

// What was not measured is no more certain than the least certain entry that is like it.
TEST_F(ConfidenceTableTest, AnUnmeasuredStrengthHasTheLowestConfidenceWithTheSameAgreement) {
  const Strength parameter = {.statement = Statement::parameter};
  ASSERT_FALSE(entry("execution_trace", "reads/contradicted"));
  EXPECT_EQ(shipped_.of(ConfidenceTable::basis(Source::execution_trace, parameter, Agreement::contradicted)),
            lowest("execution_trace", [](std::string_view key) { return key.ends_with("/contradicted"); }));
}

TEST_F(ConfidenceTableTest, AContradictionMakesNoStrengthMoreCertain) {
  const Strength other_caller = {.reading = evidence::NameReading::other_caller};
  ASSERT_TRUE(entry("onnx_scope_parsing", "other_caller/alone"));
  ASSERT_FALSE(entry("onnx_scope_parsing", "other_caller/contradicted"));
  EXPECT_LE(
      shipped_.of(ConfidenceTable::basis(Source::onnx_scope_parsing, other_caller, Agreement::contradicted)),
      entry("onnx_scope_parsing", "other_caller/alone"));
}

TEST_F(ConfidenceTableTest, AnUnmeasuredAgreementHasTheLowestConfidenceOfTheSource) {
  ASSERT_FALSE(lowest("parameter", [](std::string_view key) { return key.ends_with("/unconfirmed"); }));
  EXPECT_EQ(shipped_.of(ConfidenceTable::basis(Source::parameter, {.statement = Statement::parameter},
                                               Agreement::unconfirmed)),
            lowest("parameter", [](std::string_view) { return true; }));
}

TEST_F(ConfidenceTableTest, AnUnmeasuredSourceIsAsLikelyWrongAsRight) {
  ASSERT_FALSE(document_.root()["confidence"]["function"].exists());
  EXPECT_EQ(shipped_.of(ConfidenceTable::basis(Inference::called, 1.0f)), 0.5f);
}

// The confidence of a tag is that of the answer it records, which the evidence carries.
TEST_F(ConfidenceTableTest, DoesNotLimitTags) {
  EXPECT_EQ(shipped_.of(ConfidenceTable::basis(Source::tags, {}, Agreement::alone)), 1.0f);
}

// Every entry of the table is a key that an answer can have, and is found under it.
TEST_F(ConfidenceTableTest, UsesEveryEntry) {
  std::set<std::string> keys;
  for (std::uint16_t row = 0; row < ConfidenceTable::basis(Inference::called, 0) + 1; ++row)
    keys.insert(shipped_.name_of(row));
  for (const base::JsonMember source : document_.root()["confidence"].members())
    for (const base::JsonMember row : source.value.members()) {
      EXPECT_TRUE(keys.contains(std::string(source.key) + "/" + std::string(row.key)))
          << source.key << "/" << row.key;
    }
}

TEST_F(ConfidenceTableTest, HasARowForEverySourceStrengthAndAgreement) {
  std::set<Basis> rows;
  for (std::size_t source = 0; source < evidence::source_count; ++source)
    for (const Agreement agreement : agreements_of_answers)
      for (const Strength strength : {Strength{}, Strength{.statement = Statement::parameter},
                                      Strength{.statement = Statement::alignment},
                                      Strength{.statement = Statement::proof}, Strength{.has_rivals = true}})
        rows.insert(ConfidenceTable::basis(static_cast<Source>(source), strength, agreement));
  EXPECT_EQ(rows.size(), evidence::source_count * agreements_of_answers.size() * 5);
}

TEST_F(ConfidenceTableTest, InferencesRestOnTheLeastCertain) {
  const auto name = [&](Inference inference, float least) {
    return shipped_.name_of(ConfidenceTable::basis(inference, least));
  };
  EXPECT_EQ(name(Inference::shape_for_one_module, 1.0f), "neighbours/shape_for_one_module/certain");
  EXPECT_EQ(name(Inference::shape_for_one_module, 0.998f), "neighbours/shape_for_one_module/certain");
  EXPECT_EQ(name(Inference::shape_for_one_module, 0.9979f), "neighbours/shape_for_one_module/firm");
  EXPECT_EQ(name(Inference::shape_for_one_module, 0.989f), "neighbours/shape_for_one_module/good");
  EXPECT_EQ(name(Inference::shape_for_one_module, 0.969f), "neighbours/shape_for_one_module/fair");
  EXPECT_EQ(name(Inference::shape_for_one_module, 0.899f), "neighbours/shape_for_one_module/poor");
  EXPECT_EQ(name(Inference::shape_for_one_module, 0.0f), "neighbours/shape_for_one_module/weak");
  EXPECT_EQ(name(Inference::called, 1.0f), "function/called/certain");
}

}  // namespace
}  // namespace thence::resolve
