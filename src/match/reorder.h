// Reordering: puts a recording and the nodes of a file into a common order, if the file does not keep the
// order in which its nodes ran.
#pragma once

#include <vector>

#include "match/align.h"

namespace thence::match {

/// `parameter_uses`: by parameter, the steps that read it.
std::vector<Anchor> anchors_of(const std::vector<NodeItem>& items,
                               const std::vector<std::vector<std::uint32_t>>& parameter_uses);

/// The largest part of the anchors whose steps do not decrease.
std::vector<Anchor> longest_increasing_subsequence(const std::vector<Anchor>& anchors);

/// The share of nodes that stand close before their first reader. It is near 1 in a file that was written as
/// the model ran, and lower in one that was sorted afterwards.
float producer_locality(const onnx::Model& model);

/// As late as possible: just before the first consumer; or as soon as possible: just after the last producer.
enum class Schedule : std::uint8_t { alap, asap };

struct Reordered {
  capture::Recording recording;
  std::vector<NodeItem> items;
  std::vector<std::uint32_t> original_steps;  // by new position: the number of the step before
};

/// Both in an order that depends on the anchors and on data flow alone.
Reordered reorder_both(const capture::Recording& recording, std::vector<NodeItem> items,
                       std::vector<Anchor> anchors, Schedule schedule);

}  // namespace thence::match
