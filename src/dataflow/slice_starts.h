// Slices: rewriters replace several Slice and Gather nodes by one Split.
#pragma once

#include <cstdint>
#include <vector>

#include "dataflow/value_graph.h"

namespace thence::dataflow {

/// Whether a Gather takes slices of a computed value. From a constant it looks up rows of a table.
bool is_slicing_gather(const ValueGraph& graph, const onnx::Node& node);

/// The index at which each output of a Slice, Split or slicing Gather starts, as far as it is known; empty
/// for other nodes.
std::vector<std::int64_t> slice_starts(const ValueGraph& graph, const onnx::Node& node);

/// The sizes of the outputs of a Split, if the node states them.
std::vector<std::int64_t> split_sizes(const onnx::Model& model, const onnx::Node& split);

}  // namespace thence::dataflow
