#include "match/recording_aligner.h"

#include <gtest/gtest.h>

#include "match/thresholds.h"
#include "onnx_parts.h"

namespace thence::match {
namespace {

using capture::Recording;

constexpr std::uint32_t pairs = 60, all = 2 * pairs + 1;

// Module 0 negates the input; module 2i + 1 takes a relu of that, and 2i + 2 adds it to the sum so far.
Recording recorded_pairs() {
  Recording recording;
  recording.values.resize(all + 1);  // the last one is given
  const auto add = [&](std::string_view word, std::vector<std::uint32_t> inputs) {
    const auto number = static_cast<std::uint32_t>(recording.steps.size());
    capture::RecordedStep step;
    step.op_name = recording.intern_op_name(word);
    step.module = number;
    recording.begin_step(step);
    for (const std::uint32_t input : inputs) recording.links.push_back(input);
    recording.begin_outputs();
    recording.links.push_back(number);
    recording.values[number].producer = number;
  };
  add("aten.neg.default", {all});
  for (std::uint32_t i = 0; i < pairs; ++i) {
    add("aten.relu.default", {0});
    add("aten.add.Tensor", {2 * i, 2 * i + 1});
  }
  return recording;
}

std::string name(const char* what, std::uint32_t number) { return what + std::to_string(number); }

// The same as a file, in the order of execution, or with all relus first.
test::Message written(bool as_it_runs) {
  test::Message graph;
  const auto relu = [&](std::uint32_t i) {
    graph.inner(onnx::GraphField::node, test::node("Relu", {"a0"}, {name("r", i)}));
  };
  graph.inner(onnx::GraphField::node, test::node("Neg", {"x"}, {"a0"}));
  if (!as_it_runs)
    for (std::uint32_t i = 0; i < pairs; ++i) relu(i);
  for (std::uint32_t i = 0; i < pairs; ++i) {
    if (as_it_runs) relu(i);
    graph.inner(onnx::GraphField::node, test::node("Add", {name("a", i), name("r", i)}, {name("a", i + 1)}));
  }
  return test::model(graph);
}

TEST(RecordingAligner, AlignsAFileInItsOwnOrderIfItWasWrittenAsItRuns) {
  const test::ReadModel read(written(true));
  const Recording recording = recorded_pairs();
  const RecordingAligner aligner(recording, read.model(), {});
  ASSERT_TRUE(aligner.is_file_ordered());
  ASSERT_EQ(aligner.assignments().size(), all);
  for (std::uint32_t i = 0; i < all; ++i) EXPECT_EQ(aligner.assignments()[i].step, i);
}

TEST(RecordingAligner, ReordersAFileThatDoesNotKeepTheOrder) {
  const test::ReadModel read(written(false));
  const Recording recording = recorded_pairs();
  const RecordingAligner aligner(recording, read.model(), {});
  ASSERT_FALSE(aligner.is_file_ordered());
  const AlignmentPass& preferred = aligner.preferred();
  ASSERT_EQ(aligner.assignments().size(), all);
  std::uint32_t unanimous = 0;
  for (std::uint32_t i = 0; i < all; ++i) {
    const StepAssignment& assignment = aligner.assignments()[i];
    const onnx::NodeId node = preferred.items[i].node;
    const std::uint32_t ran = node == 0 ? 0 : node <= pairs ? 2 * node - 1 : 2 * (node - pairs);
    EXPECT_EQ(preferred.recording->steps[assignment.step].module, ran) << "node " << node;
    unanimous += assignment.votes == RecordingAligner::alignment_count ? 1 : 0;
  }
  EXPECT_GE(unanimous, pairs);  // the chain of sums has but one order
}

TEST(RecordingAligner, WithoutStepsThereAreNoOwners) {
  const test::ReadModel read(written(false));
  const Recording nothing;
  const RecordingAligner aligner(nothing, read.model(), {});
  for (const StepAssignment& assignment : aligner.assignments())
    EXPECT_LT(assignment.probability, min_assigned_posterior);
}

}  // namespace
}  // namespace thence::match
