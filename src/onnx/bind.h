// Binder: the last step of reading. It resolves names to values, scope by scope, and so links every input to
// its producer. A body sees the values of the enclosing graphs; a function sees only its own values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onnx/model.h"

namespace thence::onnx {

class Binder {
 public:
  /// Inputs, outputs and initializers of `model` still hold name numbers.
  Binder(Model& model, Diagnostics& diagnostics);
  void bind();

 private:
  void enter(GraphId id);
  void leave();
  void bind_initializers(const Graph& graph);
  void bind_outputs(const Graph& graph);
  void bind_inputs(const Graph& graph);
  void bind_graph_outputs(GraphId id);

  ValueId define(std::uint32_t name, Producer::Kind kind, std::uint32_t index);
  bool is_bound_in_scope(std::uint32_t name) const;
  std::string node_location(NodeId node) const;
  template <class Locate>
  void warn(const char* code, Locate locate, const char* what, std::uint32_t name);

  Model& model_;
  Diagnostics& diagnostics_;
  std::vector<ValueId> binding_;  // name -> its value in the current scope
  struct Shadowed {
    std::uint32_t name;
    ValueId value;
  };
  struct Scope {
    GraphId graph;
    ValueId first_value;
    std::size_t first_shadowed;
  };
  std::vector<Shadowed> shadowed_;
  std::vector<Scope> scopes_;
};

}  // namespace thence::onnx
