#include "match/order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "onnx_parts.h"

namespace thence::match {
namespace {

using capture::RecordedStep;
using capture::Recording;

NodeItem item(onnx::NodeId node, std::vector<std::uint32_t> made_of) {
  NodeItem made;
  made.node = node;
  made.made_of = std::move(made_of);
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
    recording.begin(step);
    recording.begin_outputs();
  }
  return recording;
}

// 0: a mask that only 3 reads. 1 and 2 read parameters; 3 is made of all, and reads one, too.
TEST(Order, WhatComesOfNoAnchorIsToldWhereItIsFirstUsed) {
  const std::vector<Anchor> anchors = {{1, 0}, {2, 1}, {3, 3}};
  const Told told = told_alike(steps(4), {item(10, {}), item(11, {}), item(12, {1}), item(13, {2, 0})},
                               anchors, When::needed);
  EXPECT_EQ(nodes_of(told.items), (std::vector<onnx::NodeId>{11, 12, 10, 13}));
  EXPECT_EQ(told.items[3].made_of, (std::vector<std::uint32_t>{1, 2}));
}

// 11 is made of the first anchor, and only the last one needs it.
TEST(Order, TellsThingsWhenTheyAreNeededOrAsSoonAsTheyArePossible) {
  const std::vector<Anchor> anchors = {{0, 0}, {2, 1}, {3, 3}};
  const std::vector<NodeItem> items = {item(10, {}), item(11, {0}), item(12, {0}), item(13, {2, 1})};
  EXPECT_EQ(nodes_of(told_alike(steps(4), items, anchors, When::needed).items),
            (std::vector<onnx::NodeId>{10, 12, 11, 13}));
  EXPECT_EQ(nodes_of(told_alike(steps(4), items, anchors, When::possible).items),
            (std::vector<onnx::NodeId>{10, 11, 12, 13}));
}

// A hundred constants, each read by one of a hundred operations in a row.
TEST(Order, AFileThatIsWrittenAsItRunsKeepsNodesCloseToTheirReaders) {
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
  EXPECT_FLOAT_EQ(kept_close(near.model()), 1.0f);
  EXPECT_LT(kept_close(far.model()), 0.7f);
}

// A value that is changed in place has a maker for each reader.
TEST(Order, ARecordingKeepsWhoMadeWhat) {
  Recording recording;
  recording.values.resize(2);
  const auto add = [&](std::vector<std::uint32_t> inputs, std::uint32_t output) {
    recording.begin({});
    recording.links.insert(recording.links.end(), inputs.begin(), inputs.end());
    recording.begin_outputs();
    recording.links.push_back(output);
    recording.values[output].made_by = static_cast<std::uint32_t>(recording.steps.size() - 1);
  };
  add({}, 0);
  add({0}, 0);  // in place
  add({0}, 1);
  ASSERT_EQ(recording.makers(1).size(), 1u);
  EXPECT_EQ(recording.makers(1)[0], 0u);
  EXPECT_EQ(recording.makers(2)[0], 1u);
  const Told told = told_alike(recording, {item(0, {})}, {{0, 2}}, When::needed);
  EXPECT_EQ(told.recording.makers(2)[0], 1u);
  EXPECT_EQ(told.recording.outputs(2)[0], 1u);
}

// However a file is shuffled, as long as nothing comes before what it is made of.
RC_GTEST_PROP(Order, DoesNotDependOnTheOrderOfTheFile, ()) {
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 24);
  std::vector<NodeItem> items;
  std::vector<Anchor> anchors;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> made_of;
    if (i > 0)
      for (const std::uint32_t maker : *rc::gen::container<std::vector<std::uint32_t>>(
               *rc::gen::inRange<std::size_t>(0, 3), rc::gen::inRange<std::uint32_t>(0, i)))
        made_of.push_back(maker);
    items.push_back(item(i, made_of));
    if (*rc::gen::arbitrary<bool>() || i + 1 == count) anchors.push_back({i, i});
  }
  // Another order in which all makers come first: the smallest of random numbers among those that may come.
  const auto luck =
      *rc::gen::container<std::vector<std::uint32_t>>(count, rc::gen::arbitrary<std::uint32_t>());
  std::vector<std::uint32_t> place(count, onnx::none), order;
  while (order.size() < count) {
    std::uint32_t best = onnx::none;
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool may = place[i] == onnx::none &&
                       std::all_of(items[i].made_of.begin(), items[i].made_of.end(),
                                   [&](std::uint32_t maker) { return place[maker] != onnx::none; });
      if (may && (best == onnx::none || luck[i] < luck[best])) best = i;
    }
    place[best] = static_cast<std::uint32_t>(order.size());
    order.push_back(best);
  }
  std::vector<NodeItem> shuffled;
  for (const std::uint32_t i : order) {
    shuffled.push_back(items[i]);
    for (std::uint32_t& maker : shuffled.back().made_of) maker = place[maker];
  }
  std::vector<Anchor> shuffled_anchors = anchors;
  for (Anchor& anchor : shuffled_anchors) anchor.item = place[anchor.item];
  std::sort(shuffled_anchors.begin(), shuffled_anchors.end(),
            [](const Anchor& a, const Anchor& b) { return a.item < b.item; });
  const Told plain = told_alike(steps(count), items, anchors, When::needed);
  const Told other = told_alike(steps(count), shuffled, shuffled_anchors, When::needed);
  // What no anchor is made of has no place of its own.
  std::vector<bool> leads(count, false);
  for (const Anchor& anchor : anchors) leads[anchor.item] = true;
  for (std::uint32_t i = count; i-- > 0;)
    if (leads[i])
      for (const std::uint32_t maker : items[i].made_of) leads[maker] = true;
  const auto placed = [&](const Told& told) {
    std::vector<onnx::NodeId> nodes = nodes_of(told.items);
    std::erase_if(nodes, [&](onnx::NodeId node) { return !leads[node]; });
    return nodes;
  };
  RC_ASSERT(placed(plain) == placed(other));
  for (std::uint32_t i = 0; i < count; ++i)
    for (const std::uint32_t maker : other.items[i].made_of) RC_ASSERT(maker < i);
  const Told early = told_alike(steps(count), shuffled, shuffled_anchors, When::possible);
  for (std::uint32_t i = 0; i < count; ++i)
    for (const std::uint32_t maker : early.items[i].made_of) RC_ASSERT(maker < i);
  for (std::vector<std::uint32_t> told : {plain.steps, early.steps}) {
    std::sort(told.begin(), told.end());
    for (std::uint32_t i = 0; i < count; ++i) RC_ASSERT(told[i] == i);
  }
}

}  // namespace
}  // namespace thence::match
