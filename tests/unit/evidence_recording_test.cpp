#include <gtest/gtest.h>

#include "evidence_parts.h"

namespace thence::evidence {
namespace {

constexpr std::uint32_t pairs = 60, steps = 2 * pairs + 1;

// One module per operation: m0 negates the input; m1, m3, ... take a relu of that; m2, m4, ... add it to the
// sum.
test::Capture recorded_capture(std::uint32_t relabelled = steps) {
  test::Capture capture;
  capture::Recording& recording = capture.trace.emplace();
  recording.values.resize(steps + 1);  // the last one is the input
  const auto add = [&](std::string_view word, std::vector<std::uint32_t> inputs) {
    const auto number = static_cast<std::uint32_t>(recording.steps.size());
    capture::RecordedStep step;
    step.op_name = recording.intern_op_name(word);
    step.module = capture.tree.add("m" + std::to_string(number));
    step.call = 0;
    step.relabelled = number == relabelled;
    recording.begin_step(step);
    for (const std::uint32_t input : inputs) recording.links.push_back(input);
    recording.begin_outputs();
    recording.links.push_back(number);
    recording.values[number].producer = number;
  };
  add("aten.neg.default", {steps});
  for (std::uint32_t i = 0; i < pairs; ++i) {
    add("aten.relu.default", {0});
    add("aten.add.Tensor", {2 * i, 2 * i + 1});
  }
  capture.tree.set_complete();
  capture.fx = capture.trace;
  return capture;
}

std::string numbered(const char* what, std::uint32_t number) { return what + std::to_string(number); }

// The same as a file, in the order in which it ran, or with all relus first.
test::Message file_of(bool in_order) {
  test::Message graph;
  const auto relu = [&](std::uint32_t i) {
    graph.inner(onnx::GraphField::node, test::node("Relu", {"a0"}, {numbered("r", i)}));
  };
  graph.inner(onnx::GraphField::node, test::node("Neg", {"x"}, {"a0"}));
  for (std::uint32_t i = 0; i < pairs && !in_order; ++i) relu(i);
  for (std::uint32_t i = 0; i < pairs; ++i) {
    if (in_order) relu(i);
    graph.inner(onnx::GraphField::node,
                test::node("Add", {numbered("a", i), numbered("r", i)}, {numbered("a", i + 1)}));
  }
  return test::model(graph);
}

std::deque<Evidence> recorded_evidence(const test::ModelWithHierarchy& net, Source source) {
  Sink sink;
  collect_recording(net.model(), net.hierarchy, source, sink);
  return sink.of(source);
}

TEST(RecordingEvidence, AlignsAFileInOrder) {
  const test::ModelWithHierarchy net(file_of(true), recorded_capture());
  for (const Source source : {Source::execution_trace, Source::fx_graph}) {
    const std::deque<Evidence> found = recorded_evidence(net, source);
    ASSERT_EQ(found.size(), steps);
    for (std::uint32_t i = 0; i < steps; ++i) {
      EXPECT_EQ(found[i].node, i);
      EXPECT_EQ(net.hierarchy.tree()[found[i].module].path, numbered("m", i));
      EXPECT_EQ(found[i].strength, (Strength{.statement = Statement::alignment})) << i;
      EXPECT_EQ(found[i].source, source);
      EXPECT_EQ(found[i].call, 0);
    }
    EXPECT_EQ(found[0].why, "aten.neg.default");
  }
}

TEST(RecordingEvidence, CountsAgreeingAlignmentsInAReorderedFile) {
  const test::ModelWithHierarchy net(file_of(false), recorded_capture());
  const std::deque<Evidence> found = recorded_evidence(net, Source::execution_trace);
  ASSERT_EQ(found.size(), steps);
  std::uint32_t unanimous = 0;
  for (std::uint32_t i = 0; i < steps; ++i) {
    const std::uint32_t ran = i == 0 ? 0 : i <= pairs ? 2 * i - 1 : 2 * (i - pairs);
    EXPECT_EQ(net.hierarchy.tree()[found[i].module].path, numbered("m", ran)) << "node " << i;
    EXPECT_TRUE(found[i].strength.is_reordered);
    EXPECT_FALSE(found[i].call);  // calls of one module are alike
    unanimous += found[i].strength.certainty == Certainty::full ? 1 : 0;
  }
  EXPECT_GE(unanimous, pairs);  // the chain of sums has only one order
}

TEST(RecordingEvidence, MarksRelabelledSteps) {
  const test::ModelWithHierarchy net(file_of(true), recorded_capture(4));
  const std::deque<Evidence> found = recorded_evidence(net, Source::fx_graph);
  ASSERT_EQ(found.size(), steps);
  EXPECT_EQ(name_of(found[3].strength), "aligned");
  EXPECT_EQ(name_of(found[4].strength), "relabelled");
}

TEST(RecordingEvidence, NamesNothingWithoutARecording) {
  EXPECT_TRUE(recorded_evidence(test::ModelWithHierarchy(file_of(true)), Source::execution_trace).empty());
  EXPECT_TRUE(
      recorded_evidence(test::ModelWithHierarchy(file_of(true), test::capture_of({"a"})), Source::fx_graph)
          .empty());
}

}  // namespace
}  // namespace thence::evidence
