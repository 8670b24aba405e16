// Alignment: which nodes of a graph came from which steps of a recording, by order alone where names are
// gone.
//
// Steps and nodes are two sequences of the same story. Each step leaves none, one or several nodes, in order;
// how likely each is, a Correspondence says. A left-to-right hidden Markov model weighs every way to tell the
// story, so that each node gets a chance for every step. Parameters, shapes and data flow weigh in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/recording.h"
#include "match/correspondence.h"
#include "onnx/model.h"

namespace thence::match {

/// The nodes to align, in the order of the file, with what is known of each.
struct NodeItem {
  onnx::NodeId node = 0;
  std::vector<std::uint32_t> parameters;  // in the recording's, that it reads
  std::uint64_t shape = 0;                // of its first output, hashed; 0: unknown
  std::vector<std::uint32_t> made_of;     // items that made its inputs
  bool casts = false;                     // the same values in another type
  bool auxiliary = false;                 // works on sizes and constants, not on data
  bool sized = false;                     // works on a size that the file asks for
};

/// 0 for a shape that is not known in full.
std::uint64_t hash_of_shape(const std::vector<std::int64_t>& shape);

/// How likely a node came from a step.
struct Claim {
  std::uint32_t step = 0;
  float chance = 0;
  bool usual = true;  // such a step was seen to become such a node; otherwise only its place speaks for it
};

/// A node that reads a parameter which nobody else reads, and the one step that does.
struct Anchor {
  std::uint32_t item = 0, step = 0;
};

struct Alignment {
  std::vector<std::vector<Claim>> claims;  // by item; the likeliest first, those below a thousandth left out
  std::vector<Anchor> anchors;             // in the order of the items
  double likelihood = 0;                   // the logarithm, for comparing correspondences
  float order = 1;  // the share of nodes known by a parameter that come in the order of their steps
};

/// Sums that a correspondence is learned from.
struct Habits {
  struct Sum {
    double steps = 0, began = 0, nodes = 0;
    std::unordered_map<std::string, double> became;
  };
  std::unordered_map<std::string, Sum> sums;
};

struct AlignOptions {
  /// Only these pairs are possible, when given: for learning from known truth.
  std::function<bool(std::uint32_t step, std::uint32_t item)> allowed;
  Habits* habits = nullptr;
  bool use_flow = true;
};

Alignment align(const capture::Recording& recording, const onnx::Model& model,
                const std::vector<NodeItem>& items, const Correspondence& correspondence,
                const AlignOptions& options);

}  // namespace thence::match
