// Everything known of the modules before any node is judged: the tree, what the exporter's metadata says of
// each node, who owns which initializer, and what the scopes in names mean. From a capture where there is
// one, otherwise rebuilt from the model alone.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/capture.h"
#include "hierarchy/exporter_stack.h"
#include "hierarchy/parameters.h"
#include "hierarchy/scope_index.h"
#include "modules/module_tree.h"

namespace thence::hierarchy {

using capture::Capture;
using modules::Module;

/// The innermost module of a node's metadata.
struct NodeStack {
  ModuleId module = no_module;
  bool whole = false;      // the stack begins at the root
  bool rewritten = false;  // a rewrite rule made the node out of others
  bool stranger = false;   // it names a module that the tree does not have
};

/// What thence wrote into a node earlier.
struct NodeTag {
  onnx::NodeId node = 0;
  ModuleId module = no_module;
  std::string_view path;
  std::string_view hf_module;  // its path, and the tag that was given to it
  std::string_view text;
  bool fits = false;  // the node is still as it was then
};

class Hierarchy {
 public:
  Hierarchy(const onnx::Model& model, std::optional<Capture> capture, bool use_tags = true);
  Hierarchy(const Hierarchy&) = delete;
  Hierarchy& operator=(const Hierarchy&) = delete;

  const ModuleTree& tree() const { return tree_; }
  const NodeStack& stack(onnx::NodeId node) const { return stacks_.empty() ? no_stack_ : stacks_[node]; }
  bool has_stacks() const { return !stacks_.empty(); }
  const std::vector<NodeTag>& tags() const { return tags_; }
  const std::vector<ParameterOwner>& parameters() const { return parameters_; }
  /// The parameter that a value is, perhaps after steps that only change its form.
  struct Parameter {
    std::uint32_t initializer = onnx::none;
    ParameterOwner owner;
  };
  Parameter parameter_behind(const onnx::Model& model, onnx::ValueId value) const;
  const ScopeIndex& scopes() const { return *scopes_; }
  /// What a capture recorded, without its tree: null when there is none.
  const Capture* recorded() const { return capture_ ? &*capture_ : nullptr; }

 private:
  /// A node whose stack is one word that nothing else has named so far.
  struct UnsupportedStack {
    onnx::NodeId node;
    std::string path;
    bool rewritten;
  };
  std::vector<UnsupportedStack> read_properties(const onnx::Model& model, bool use_tags);
  void set_stack(const onnx::Model& model, onnx::NodeId node, NodeStack stack);

  // The order matters: each step may use and grow what those before it found.
  std::optional<Capture> capture_;
  ModuleTree tree_;
  std::vector<NodeStack> stacks_;  // empty when no node has any
  std::vector<NodeTag> tags_;
  std::vector<ParameterOwner> parameters_;
  std::unordered_map<onnx::ValueId, ParameterOwner> copies_;
  std::optional<ScopeIndex> scopes_;
  NodeStack no_stack_;
};

}  // namespace thence::hierarchy
