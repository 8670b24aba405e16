#include "match/align.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "match/items.h"
#include "onnx_parts.h"

namespace thence::match {
namespace {

using capture::RecordedStep;
using capture::Recording;
using test::graph;
using test::node;

// Steps of one module each, without values.
Recording recording_of(const std::vector<std::string>& operations) {
  Recording recording;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    RecordedStep step;
    step.op_name = recording.intern_op_name(operations[i]);
    step.module = static_cast<modules::ModuleId>(i);
    recording.begin_step(step);
    recording.begin_outputs();
  }
  return recording;
}

EmissionTable emissions() {
  return {"test",
          {{"aten.linear.default", {0.01f, 0.5f, {{"MatMul", 0.5f}, {"Add", 0.5f}}}},
           {"aten.relu.default", {0.01f, 0.01f, {{"Relu", 1.0f}}}},
           {"aten.dropout.default", {0.99f, 0.01f, {{"Dropout", 1.0f}}}}}};
}

std::vector<std::uint32_t> best_steps(const Recording& recording, const onnx::Model& model) {
  const auto items =
      items_of(model, {std::vector<std::vector<std::uint32_t>>(model.initializers().size()), {}},
               [](std::string_view) { return true; });
  std::vector<std::uint32_t> steps;
  for (const auto& posteriors : align(recording, model, items, emissions(), {}).posteriors)
    steps.push_back(posteriors.empty() ? 0xffffffff : posteriors.front().step);
  return steps;
}

TEST(Align, FindsTheStepsOfAChain) {
  const Recording recording =
      recording_of({"aten.linear.default", "aten.relu.default", "aten.dropout.default", "aten.linear.default",
                    "aten.relu.default"});
  const test::ReadModel read(
      test::model(graph({node("MatMul", {"x"}, {"a"}), node("Add", {"a"}, {"b"}), node("Relu", {"b"}, {"c"}),
                         node("MatMul", {"c"}, {"d"}), node("Relu", {"d"}, {"e"})}))
          .bytes());
  EXPECT_EQ(best_steps(recording, read.model()), (std::vector<std::uint32_t>{0, 0, 1, 3, 4}));
}

TEST(Align, WithoutStepsNothingIsAligned) {
  const test::ReadModel read(test::model(graph({node("MatMul", {"x"}, {"a"})})).bytes());
  EXPECT_EQ(best_steps(Recording(), read.model()), (std::vector<std::uint32_t>{0xffffffff}));
}

// Each step multiplies the result of the one before with a matrix of `sizes[i]` elements; the first one reads
// a parameter.
Recording learned_queries(const std::vector<std::int64_t>& sizes) {
  Recording recording;
  const auto value = [&](std::int64_t size, std::uint32_t parameter) {
    recording.values.push_back({{size}, true, parameter});
    return static_cast<std::uint32_t>(recording.values.size() - 1);
  };
  std::uint32_t last = value(12, recording.intern_parameter("queries"));
  for (const std::int64_t size : sizes) {
    const std::uint32_t step = static_cast<std::uint32_t>(recording.steps.size());
    const std::uint32_t weight = value(size, recording.intern_parameter("weight" + std::to_string(step)));
    RecordedStep made;
    made.op_name = recording.intern_op_name("aten.linear.default");
    recording.begin_step(made);
    recording.links.insert(recording.links.end(), {last, weight});
    recording.begin_outputs();
    last = value(12, 0xffffffff);
    recording.links.push_back(last);
    recording.values[last].producer = step;
  }
  return recording;
}

// Everything is computed from parameters alone, and yet one step reads each weight.
TEST(Align, ParametersAreForwardedOnlyInTheirOwnSize) {
  const Recording recording = learned_queries({64, 64, 64});
  const test::ReadModel read(test::model(graph({node("MatMul", {"q"}, {"a"}), node("MatMul", {"a"}, {"b"}),
                                                node("MatMul", {"b"}, {"c"})}))
                                 .bytes());
  auto items = items_of(read.model(), {}, [](std::string_view) { return true; });
  for (std::uint32_t i = 0; i < 3; ++i) items[i].parameters = {i + 1};
  EXPECT_EQ(align(recording, read.model(), items, emissions(), {}).anchors.size(), 3U);
}

// Neither step fits all nodes, and each fits so many that the other underflows from one end.
TEST(Align, AlignsEvenIfNoPairIsTypical) {
  test::Message made;
  for (int i = 0; i < 40; ++i)
    made.inner(onnx::GraphField::node, node(i < 20 ? "Relu" : "MatMul", {"x"}, {"v" + std::to_string(i)}));
  const test::ReadModel read(test::model(made).bytes());
  for (const std::uint32_t step :
       best_steps(recording_of({"aten.linear.default", "aten.relu.default"}), read.model()))
    EXPECT_NE(step, 0xffffffff);
}

// For any two sequences: posteriors are probabilities.
RC_GTEST_PROP(Align, PosteriorsAreProbabilities, ()) {
  const std::vector<std::string> operations = {"aten.linear.default", "aten.relu.default",
                                               "aten.dropout.default", "aten.never_seen.default"};
  const std::vector<std::string> ops = {"MatMul", "Add", "Relu", "Softmax"};
  const auto picks = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 4));
  const auto nodes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 4));
  std::vector<std::string> words;
  for (const std::size_t pick : picks) words.push_back(operations[pick]);
  test::Message made;
  std::string last = "x";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string next = "v" + std::to_string(i);
    made.inner(onnx::GraphField::node,
               node(ops[nodes[i]], {std::string_view(last)}, {std::string_view(next)}));
    last = next;
  }
  const test::ReadModel read(test::model(made).bytes());
  const auto items = items_of(read.model(), {}, [](std::string_view) { return true; });
  const Recording recording = recording_of(words);
  const Alignment alignment = align(recording, read.model(), items, emissions(), {});
  RC_ASSERT(alignment.posteriors.size() == items.size());
  for (const auto& posteriors : alignment.posteriors) {
    float sum = 0;
    for (const StepPosterior& one : posteriors) {
      RC_ASSERT(one.step < recording.steps.size());
      RC_ASSERT(one.probability >= 0.0f);
      sum += one.probability;
    }
    RC_ASSERT(sum < 1.01f);
    RC_ASSERT(words.empty() || sum > 0.5f);
  }
}

}  // namespace
}  // namespace thence::match
