// RecordColumns: the names and annotations that the instances of shared functions had in the flat model.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "functions/call_graph.h"
#include "functions/fold_record.h"

namespace thence::functions {

class RecordColumns {
 public:
  /// Empty if the columns do not fit the functions.
  static std::optional<RecordColumns> read(const onnx::Model& model, const CallGraph& calls,
                                           const FoldRecord& record);

  /// Whether a value is an output of its function, so that the caller names it.
  bool is_function_output(onnx::ValueId value) const { return function_outputs_[value]; }
  /// The name of a node's output in one instance of its function. `output` counts the outputs that are no
  /// outputs of the function.
  std::string_view name(onnx::NodeId node, std::uint64_t output, std::uint64_t instance,
                        std::uint64_t instances) const {
    return names_[first_name_[node] + output * instances + instance];
  }
  /// The name and the annotations of a node in one instance, by position among its other fields.
  std::span<const Insertion> annotations(onnx::NodeId node, std::uint64_t instance) const {
    const std::size_t at = first_annotation_[node] + instance;
    return std::span(annotations_)
        .subspan(annotation_starts_[at], annotation_starts_[at + 1] - annotation_starts_[at]);
  }

 private:
  bool read_node(const onnx::Node& node, bool is_call, std::uint64_t instances, base::PackedReader& reader);

  std::vector<bool> function_outputs_;                      // by value
  std::vector<std::size_t> first_name_, first_annotation_;  // by node of a shared function
  std::vector<std::string_view> names_;
  std::vector<Insertion> annotations_;
  std::vector<std::size_t> annotation_starts_;
};

}  // namespace thence::functions
