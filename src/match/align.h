// Alignment: which nodes of a model came from which steps of a recording, by their order. No name is read.
//
// A left-to-right hidden Markov model. The steps are the states; each emits none, one or several nodes, with
// the probabilities of an EmissionTable. Parameters, shapes and data flow weight the emissions. The
// forward-backward algorithm gives each node the posterior of every step.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/recording.h"
#include "match/emission_table.h"
#include "onnx/model.h"

namespace thence::match {

/// A node to align, with what is known of it. Items are numbered in the order of alignment.
struct NodeItem {
  onnx::NodeId node = 0;
  std::vector<std::uint32_t> parameters;  // in Recording::parameters: those it reads
  std::uint64_t shape = 0;                // hash of the shape of its first output; 0: unknown
  std::vector<std::uint32_t> producers;   // items that write its inputs
  bool is_cast = false;                   // the same values, perhaps in another type
  bool is_shape_or_constant = false;      // computes shapes or constants, not data
  bool is_shape_computation = false;      // computes with a shape that the file reads
  bool is_in_loop = false;                // in a body that runs several times: each run is another call
};

/// 0 if a dimension is unknown.
std::uint64_t hash_of_shape(const std::vector<std::int64_t>& shape);

/// The posterior of a step for one node.
struct StepPosterior {
  std::uint32_t step = 0;
  float probability = 0;
  bool is_typical = true;  // the table has this emission; otherwise only the order supports it
};

/// A node and a step that read a parameter which no other node and no other step reads.
struct Anchor {
  std::uint32_t item = 0, step = 0;
};

struct Alignment {
  std::vector<std::vector<StepPosterior>> posteriors;  // by item; the most probable first
  std::vector<Anchor> anchors;                         // in the order of the items
  double log_likelihood = 0;                           // to compare emission tables and orders
  float ordered_share = 1;                             // share of the anchors that are in order
};

/// Expected counts, from which an emission table is learned.
struct EmissionCounts {
  struct Sum {
    double steps = 0, emitting_steps = 0, nodes = 0;
    std::unordered_map<std::string, double> operators;  // of the nodes
  };
  std::unordered_map<std::string, Sum> sums;
};

struct AlignOptions {
  /// Excludes pairs, if given: to learn from known truth.
  std::function<bool(std::uint32_t step, std::uint32_t item)> is_pair_allowed;
  EmissionCounts* counts = nullptr;
  bool use_flow = true;
};

Alignment align(const capture::Recording& recording, const onnx::Model& model,
                const std::vector<NodeItem>& items, const EmissionTable& table, const AlignOptions& options);

}  // namespace thence::match
