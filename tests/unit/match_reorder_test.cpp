#include "match/reorder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "onnx_parts.h"

namespace thence::match {
namespace {

using capture::RecordedStep;
using capture::Recording;

NodeItem item(onnx::NodeId node, std::vector<std::uint32_t> producers) {
  NodeItem made;
  made.node = node;
  made.producers = std::move(producers);
  return made;
}

std::vector<onnx::NodeId> nodes_of(const std::vector<NodeItem>& items) {
  std::vector<onnx::NodeId> nodes;
  for (const NodeItem& each : items) nodes.push_back(each.node);
  return nodes;
}

Recording steps(std::size_t count) {
  Recording recording;
  for (std::size_t i = 0; i < count; ++i) {
    RecordedStep step;
    step.module = static_cast<modules::ModuleId>(i);
    recording.begin_step(step);
    recording.begin_outputs();
  }
  return recording;
}

// Item 0 is a mask that only 3 reads. 1, 2 and 3 are anchors; 3 reads the others.
TEST(Reorder, WhatDependsOnNoAnchorPrecedesItsFirstConsumer) {
  const std::vector<Anchor> anchors = {{1, 0}, {2, 1}, {3, 3}};
  const Reordered moved = reorder_both(
      steps(4), {item(10, {}), item(11, {}), item(12, {1}), item(13, {2, 0})}, anchors, Schedule::alap);
  EXPECT_EQ(nodes_of(moved.items), (std::vector<onnx::NodeId>{11, 12, 10, 13}));
  EXPECT_EQ(moved.items[3].producers, (std::vector<std::uint32_t>{1, 2}));
}

// 11 reads the first anchor, and only the last one reads it.
TEST(Reorder, AsLateOrAsSoonAsPossible) {
  const std::vector<Anchor> anchors = {{0, 0}, {2, 1}, {3, 3}};
  const std::vector<NodeItem> items = {item(10, {}), item(11, {0}), item(12, {0}), item(13, {2, 1})};
  EXPECT_EQ(nodes_of(reorder_both(steps(4), items, anchors, Schedule::alap).items),
            (std::vector<onnx::NodeId>{10, 12, 11, 13}));
  EXPECT_EQ(nodes_of(reorder_both(steps(4), items, anchors, Schedule::asap).items),
            (std::vector<onnx::NodeId>{10, 11, 12, 13}));
}

// A hundred constants, each read by one of a hundred operations in a row.
TEST(Reorder, NodesStandCloseToTheirConsumersInAFileWrittenAsItRuns) {
  const auto model_of = [](bool each_before_its_reader) {
    test::Message graph;
    std::string before = "x";
    const auto constant = [&](int i) {
      graph.inner(onnx::GraphField::node, test::node("Constant", {}, {"c" + std::to_string(i)}));
    };
    if (!each_before_its_reader)
      for (int i = 0; i < 100; ++i) constant(i);
    for (int i = 0; i < 100; ++i) {
      if (each_before_its_reader) constant(i);
      const std::string next = "y" + std::to_string(i);
      graph.inner(onnx::GraphField::node, test::node("Add", {before, "c" + std::to_string(i)}, {next}));
      before = next;
    }
    return test::model(graph);
  };
  const test::ReadModel near(model_of(true)), far(model_of(false));
  EXPECT_FLOAT_EQ(producer_locality(near.model()), 1.0f);
  EXPECT_LT(producer_locality(far.model()), 0.7f);
}

// A value that is changed in place has another producer for each reader.
TEST(Reorder, ARecordingKeepsItsProducers) {
  Recording recording;
  recording.values.resize(2);
  const auto add = [&](std::vector<std::uint32_t> inputs, std::uint32_t output) {
    recording.begin_step({});
    recording.links.insert(recording.links.end(), inputs.begin(), inputs.end());
    recording.begin_outputs();
    recording.links.push_back(output);
    recording.values[output].producer = static_cast<std::uint32_t>(recording.steps.size() - 1);
  };
  add({}, 0);
  add({0}, 0);  // in place
  add({0}, 1);
  ASSERT_EQ(recording.input_producers(1).size(), 1u);
  EXPECT_EQ(recording.input_producers(1)[0], 0u);
  EXPECT_EQ(recording.input_producers(2)[0], 1u);
  const Reordered moved = reorder_both(recording, {item(0, {})}, {{0, 2}}, Schedule::alap);
  EXPECT_EQ(moved.recording.input_producers(2)[0], 1u);
  EXPECT_EQ(moved.recording.outputs(2)[0], 1u);
}

// For any topological order of the file.
RC_GTEST_PROP(Reorder, DoesNotDependOnTheOrderOfTheFile, ()) {
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 24);
  std::vector<NodeItem> items;
  std::vector<Anchor> anchors;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> producers;
    if (i > 0)
      for (const std::uint32_t producer : *rc::gen::container<std::vector<std::uint32_t>>(
               *rc::gen::inRange<std::size_t>(0, 3), rc::gen::inRange<std::uint32_t>(0, i)))
        producers.push_back(producer);
    items.push_back(item(i, producers));
    if (*rc::gen::arbitrary<bool>() || i + 1 == count) anchors.push_back({i, i});
  }
  // Another topological order: the smallest of random numbers among those that may come.
  const auto luck =
      *rc::gen::container<std::vector<std::uint32_t>>(count, rc::gen::arbitrary<std::uint32_t>());
  std::vector<std::uint32_t> place(count, onnx::none), order;
  while (order.size() < count) {
    std::uint32_t best = onnx::none;
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool may = place[i] == onnx::none &&
                       std::all_of(items[i].producers.begin(), items[i].producers.end(),
                                   [&](std::uint32_t producer) { return place[producer] != onnx::none; });
      if (may && (best == onnx::none || luck[i] < luck[best])) best = i;
    }
    place[best] = static_cast<std::uint32_t>(order.size());
    order.push_back(best);
  }
  std::vector<NodeItem> shuffled;
  for (const std::uint32_t i : order) {
    shuffled.push_back(items[i]);
    for (std::uint32_t& producer : shuffled.back().producers) producer = place[producer];
  }
  std::vector<Anchor> shuffled_anchors = anchors;
  for (Anchor& anchor : shuffled_anchors) anchor.item = place[anchor.item];
  std::sort(shuffled_anchors.begin(), shuffled_anchors.end(),
            [](const Anchor& a, const Anchor& b) { return a.item < b.item; });
  const Reordered plain = reorder_both(steps(count), items, anchors, Schedule::alap);
  const Reordered other = reorder_both(steps(count), shuffled, shuffled_anchors, Schedule::alap);
  // An item that no anchor depends on has no position.
  std::vector<bool> leads(count, false);
  for (const Anchor& anchor : anchors) leads[anchor.item] = true;
  for (std::uint32_t i = count; i-- > 0;)
    if (leads[i])
      for (const std::uint32_t producer : items[i].producers) leads[producer] = true;
  const auto placed = [&](const Reordered& moved) {
    std::vector<onnx::NodeId> nodes = nodes_of(moved.items);
    std::erase_if(nodes, [&](onnx::NodeId node) { return !leads[node]; });
    return nodes;
  };
  RC_ASSERT(placed(plain) == placed(other));
  for (std::uint32_t i = 0; i < count; ++i)
    for (const std::uint32_t producer : other.items[i].producers) RC_ASSERT(producer < i);
  const Reordered early = reorder_both(steps(count), shuffled, shuffled_anchors, Schedule::asap);
  for (std::uint32_t i = 0; i < count; ++i)
    for (const std::uint32_t producer : early.items[i].producers) RC_ASSERT(producer < i);
  for (std::vector<std::uint32_t> order_of_steps : {plain.original_steps, early.original_steps}) {
    std::sort(order_of_steps.begin(), order_of_steps.end());
    for (std::uint32_t i = 0; i < count; ++i) RC_ASSERT(order_of_steps[i] == i);
  }
}

TEST(Reorder, AnchorsReadAParameterThatNothingElseReads) {
  std::vector<NodeItem> items(3);
  items[0].parameters = {0};
  items[1].parameters = {1, 2};
  items[2].parameters = {1, 3};
  const std::vector<Anchor> anchors = anchors_of(items, {{5}, {6}, {7}, {8, 9}});
  ASSERT_EQ(anchors.size(), 2u);  // two items read parameter 1, two steps parameter 3
  EXPECT_EQ(anchors[0].step, 5u);
  EXPECT_EQ(anchors[1].item, 1u);
  EXPECT_EQ(anchors[1].step, 7u);
}

TEST(Reorder, TheLongestSubsequenceInOrder) {
  std::vector<Anchor> anchors;
  for (const std::uint32_t step : {7, 1, 2, 9, 2, 3, 0})
    anchors.push_back({static_cast<std::uint32_t>(anchors.size()), step});
  std::vector<std::uint32_t> steps;
  for (const Anchor& anchor : longest_increasing_subsequence(anchors)) steps.push_back(anchor.step);
  EXPECT_EQ(steps, (std::vector<std::uint32_t>{1, 2, 2, 3}));  // equal steps are in order
  EXPECT_TRUE(longest_increasing_subsequence({}).empty());
}

}  // namespace
}  // namespace thence::match
