// NodeExpander: writes the nodes of functions into the graphs that call them. Parameters get the names of the
// arguments, other values get new names, and references to attributes of the function get their values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_store.h"
#include "base/unique_names.h"
#include "dataflow/bodies.h"
#include "functions/call_graph.h"
#include "functions/expand.h"
#include "functions/frame.h"
#include "onnx/model.h"

namespace thence::functions {

class NodeExpander {
 public:
  NodeExpander(const onnx::Model& model, const CallGraph& calls, NodeLabels labels);

  /// Whether a node of the main graph is not copied as it is: because it is a call, has calls in its bodies,
  /// or reads values that have other names.
  bool changes(onnx::NodeId node) const;
  /// The encoded fields of a graph that replace such a node.
  std::string expand(onnx::NodeId node);
  /// Whether the nodes became too large, or their bodies too deeply nested for a file, so that expand() gives
  /// nothing.
  bool is_past_limits() const { return bytes_ > calls_.max_bytes() || is_too_deep_; }

 private:
  using Bodies = std::span<const onnx::GraphId>;

  void rename_outputs_of_calls();
  void append_node(onnx::NodeId node, const Frame& frame, std::string& out);
  void append_call(const onnx::Node& call, const Frame& caller, std::string& out);
  void append_value_infos(const onnx::Graph& function, std::string& out);
  Frame enter(const onnx::Node& call, const Frame& caller);
  void bind_attributes(const onnx::Node& call, const Frame& caller, Frame& frame);
  void bind_metadata(const onnx::Node& call, const Frame& caller, Frame& frame) const;
  void name_values(onnx::GraphId function, const Frame& frame);
  void name_value(onnx::ValueId value, const Frame& frame);
  std::vector<std::string> bind_outputs(onnx::GraphId function, const onnx::Node& call);
  std::string render_node(const onnx::Node& node, const Frame& frame);
  void append_metadata(const onnx::Node& node, const Frame& frame, std::string& out) const;
  std::string node_name(std::string_view name, const Frame& frame);
  std::string render_attribute(std::string_view attribute, const Frame& frame, Bodies& bodies);
  std::string render_graph(onnx::GraphId graph, const Frame& frame);
  std::string_view name_of(onnx::ValueId value) const {
    return value == onnx::none ? std::string_view() : names_[value];
  }

  const onnx::Model& model_;
  const CallGraph& calls_;
  const NodeLabels labels_;
  const dataflow::Bodies bodies_;
  std::vector<std::string_view> names_;  // by value: its name in the current instance of its function
  std::vector<bool> is_renamed_;         // by value: it has another name in the graph of the caller
  base::UniqueNames value_names_{'_'}, node_names_{'_'};
  base::TextStore texts_;
  std::uint64_t bytes_ = 0;
  int body_depth_ = 0;  // of the body that is rendered
  bool is_too_deep_ = false;
};

}  // namespace thence::functions
