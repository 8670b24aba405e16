#include "match/data_flow.h"

#include <gtest/gtest.h>

namespace thence::match {
namespace {

// Each step reads the results of the listed ones.
capture::Recording steps_reading(const std::vector<std::vector<std::uint32_t>>& makers) {
  capture::Recording recording;
  for (std::uint32_t step = 0; step < makers.size(); ++step) {
    capture::RecordedStep made;
    made.op_name = recording.intern_op_name("aten.add.Tensor");
    recording.begin_step(made);
    for (const std::uint32_t producer : makers[step]) recording.links.push_back(producer);  // its only value
    recording.begin_outputs();
    recording.values.push_back({});
    recording.values.back().producer = step;
    recording.links.push_back(step);
  }
  return recording;
}

std::vector<NodeItem> items_reading(const std::vector<std::vector<std::uint32_t>>& makers) {
  std::vector<NodeItem> items(makers.size());
  for (std::size_t i = 0; i < makers.size(); ++i) items[i].producers = makers[i];
  return items;
}

TEST(DataFlow, AgreesIfNodesReadWhatTheirStepsRead) {
  const auto recording = steps_reading({{}, {0}, {1}});
  EXPECT_EQ(check_data_flow(recording, items_reading({{}, {0}, {1}}), {0, 1, 2}),
            (std::vector<bool>{true, true, true}));
}

TEST(DataFlow, GoesThroughStepsThatEmittedNoNode) {
  const auto recording = steps_reading({{}, {0}, {1}});
  EXPECT_EQ(check_data_flow(recording, items_reading({{}, {0}}), {0, 2}), (std::vector<bool>{true, true}));
}

// The second and the third node are assigned to one step, and neither reads what the step reads.
TEST(DataFlow, ANodeOfTheSameStepMustAgreeItself) {
  const auto recording = steps_reading({{}, {}});
  EXPECT_EQ(check_data_flow(recording, items_reading({{}, {0}, {1}}), {0, 1, 1}),
            (std::vector<bool>{true, false, false}));
}

}  // namespace
}  // namespace thence::match
