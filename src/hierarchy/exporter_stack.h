// The module stack that PyTorch's dynamo exporter leaves in a node's metadata: which modules were
// running, outermost first, each with its class.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "modules/module_tree.h"
#include "onnx/model.h"

namespace thence::hierarchy {

using modules::ModuleId;
using modules::ModuleTree;
using modules::no_module;
using modules::root;

struct StackFrame {
  std::string path;
  std::string class_name;
};

struct ExporterStack {
  std::vector<StackFrame> modules;  // outermost first; the first is the root when the stack is whole
  bool whole = false;               // it begins at the root
};

/// The properties of a node that tell of its origin, as written.
struct ExporterProperties {
  std::string_view name_scopes;
  std::string_view class_hierarchy;
  std::string_view name_space;
  std::string_view rewrite_rule;
  std::string_view tag_module, tag_class, tag_hf_module, tag_text, tag_fingerprint;  // by thence, earlier
  bool tagged = false;
  std::string_view stack_text() const { return name_scopes.empty() ? name_space : name_scopes; }
};
ExporterProperties exporter_properties(const onnx::Node& node);

/// The stack written in a node's properties, without PyTorch's marker for a missing one; empty when there is
/// none that can be read.
ExporterStack read_stack(const ExporterProperties& properties);

/// Reads the stacks of many nodes and adds their modules to a tree. Neighbouring nodes mostly share a stack
/// but for its last entry, so each distinct stack is parsed once.
class StackReader {
 public:
  explicit StackReader(ModuleTree& tree) : tree_(tree) {}

  struct Found {
    ModuleId module = no_module;
    bool whole = false;
    bool stranger = false;  // it names a module that the tree does not have
    const std::string* unsupported =
        nullptr;  // a path that is a module's only if something else names it, too
  };
  Found find(const ExporterProperties& properties);

 private:
  Found parse(const ExporterProperties& properties);

  ModuleTree& tree_;
  std::deque<std::string> unsupported_;
  std::unordered_map<std::string_view, Found> seen_;  // by what the stack's text says before its last entry
};

/// `layers.slice(None, 4, None).0` is the first of a sliced list: `layers.0`. The text as it is when
/// the slice cannot be undone: one from the end of the list needs the list's length, which a complete tree
/// has.
std::string undo_slices(std::string_view path, const ModuleTree* tree = nullptr);

}  // namespace thence::hierarchy
