// Everything known about the modules before nodes are attributed: the module tree, the exporter's metadata of
// each node, the owners of initializers, and the modules of the scopes in names. It comes from a capture if
// there is one; otherwise it is rebuilt from the model alone.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/capture.h"
#include "hierarchy/exporter_stack.h"
#include "hierarchy/model_record.h"
#include "hierarchy/parameters.h"
#include "hierarchy/scope_index.h"
#include "hierarchy/weight_owners.h"
#include "modules/module_tree.h"

namespace thence::hierarchy {

using capture::Capture;
using modules::Module;

/// The innermost module in the metadata of a node.
struct NodeStack {
  ModuleId module = no_module;
  bool starts_at_root = false;         // the stack begins at the root
  bool rewritten = false;              // a rewrite rule created the node from others
  bool names_unlisted_module = false;  // names a module that is not in the tree
  bool is_builders = false;            // written by a tool that builds graphs
  bool is_outer = false;               // the module may be one around the one that ran the node
};

/// A module of a fused or shared node, as a tag lists it.
struct TaggedMember {
  ModuleId module = no_module;
  std::string_view part;  // what it does in a fused node; empty if the tag does not say so
};

/// A tag that thence wrote into a node earlier.
struct NodeTag {
  onnx::NodeId node = 0;
  ModuleId module = no_module;
  std::string_view path;
  std::string_view hf_module;  // the path of the shown module, and its tag
  std::string_view text;
  bool is_current = false;  // the node is unchanged since then
  float confidence = 0;     // of the answer that was written; 0 if the tag has none
  modules::CallNumber call;
  ModuleId weight_owner = no_module;
};

/// Paths in a list are separated by spaces, which a path may contain, too.
std::string escape_path(std::string_view path);
std::string unescape_path(std::string_view text);

class Hierarchy {
 public:
  Hierarchy(const onnx::Model& model, std::optional<Capture> capture, bool use_tags = true);
  Hierarchy(const Hierarchy&) = delete;
  Hierarchy& operator=(const Hierarchy&) = delete;

  const ModuleTree& tree() const { return tree_; }
  const NodeStack& stack(onnx::NodeId node) const { return stacks_.empty() ? no_stack_ : stacks_[node]; }
  bool has_stacks() const { return !stacks_.empty(); }
  const std::vector<NodeTag>& tags() const { return tags_; }
  /// Of a current tag, the primary module first; empty if it is the only one.
  const std::vector<TaggedMember>& members_of(const NodeTag& tag) const;
  const std::vector<ParameterOwner>& parameters() const { return parameters_; }
  /// The parameter from which a value comes, possibly through nodes that only change its form.
  struct SourceParameter {
    std::uint32_t initializer = onnx::none;
    ParameterOwner owner;
  };
  SourceParameter source_parameter(const onnx::Model& model, onnx::ValueId value) const;
  const ScopeIndex& scopes() const { return *scopes_; }
  /// Of a graph that another tool built after the model of the capture; nothing for others.
  const WeightOwners& weight_owners() const { return weight_owners_; }
  /// What tags say about the live model; null with a capture, or if the file has none.
  const ModelRecord* record() const { return record_ ? &*record_ : nullptr; }
  /// The parameters of the live model, by a capture or by tags; null if neither lists them.
  const std::vector<capture::CapturedParameter>* live_parameters() const {
    return capture_ ? &capture_->parameters : record_ ? &record_->parameters : nullptr;
  }
  /// The recorded data of a capture, without its tree; null without a capture.
  const Capture* recorded() const { return capture_ ? &*capture_ : nullptr; }

 private:
  /// A node whose stack is a single word that no other evidence names so far.
  struct UncorroboratedStack {
    onnx::NodeId node;
    std::string path;
    bool rewritten;
  };
  void compare_weights(const onnx::Model& model);
  std::vector<UncorroboratedStack> read_properties(const onnx::Model& model, bool use_tags);
  void read_parameters(const onnx::Model& model, bool has_builder_scopes);
  void mark_scopes(std::size_t known_modules, bool has_builder_scopes);
  void read_tag(const onnx::Model& model, onnx::NodeId node, const ExporterProperties& properties);
  void set_stack(const onnx::Model& model, onnx::NodeId node, NodeStack stack);

  // In order of construction: each step may use and extend the results of the previous ones.
  std::optional<Capture> capture_;
  std::optional<ModelRecord> record_;
  ModuleTree tree_;
  std::vector<NodeStack> stacks_;  // empty if no node has a stack
  std::vector<NodeTag> tags_;
  std::unordered_map<onnx::NodeId, std::vector<TaggedMember>> tagged_members_;
  std::vector<ParameterOwner> parameters_;
  std::unordered_map<onnx::ValueId, ParameterOwner> copies_;
  WeightOwners weight_owners_;
  std::optional<ScopeIndex> scopes_;
  NodeStack no_stack_;
};

}  // namespace thence::hierarchy
