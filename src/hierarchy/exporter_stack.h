// The module stack that the dynamo exporter of PyTorch writes into node metadata: the running modules,
// outermost first, each with its class.
#pragma once

#include <deque>
#include <optional>
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
  std::vector<StackFrame> modules;  // outermost first; the first is the root if `starts_at_root`
  bool starts_at_root = false;      // begins at the root
};

/// The properties of a node that name its origin, as written.
struct ExporterProperties {
  std::string_view name_scopes;
  std::string_view class_hierarchy;
  std::string_view name_space;
  std::string_view rewrite_rule;
  // Written by an earlier run of thence.
  std::string_view tag_module, tag_class, tag_hf_module, tag_text, tag_fingerprint, tag_confidence;
  std::string_view tag_modules, tag_parts, tag_call;
  std::optional<std::string_view> tag_weight_owner;
  bool tagged = false;
  std::string_view stack_text() const { return name_scopes.empty() ? name_space : name_scopes; }
};
ExporterProperties exporter_properties(const onnx::Node& node);

/// The operation of torch.export that dynamo's metadata names: "%mean : [num_users=1] = call_function[...".
/// Empty if there is none.
std::string_view exporter_operation(const onnx::Node& node);

/// Reads the stack in the properties of a node, without the marker that PyTorch writes for a missing stack.
/// Empty if there is no readable stack.
ExporterStack read_stack(const ExporterProperties& properties);

/// Reads the stacks of many nodes and adds their modules to a tree. Neighbouring nodes mostly share all of a
/// stack except its last entry, so each distinct stack is parsed once.
class StackReader {
 public:
  explicit StackReader(ModuleTree& tree) : tree_(tree) {}

  struct StackModule {
    ModuleId module = no_module;
    bool starts_at_root = false;
    bool names_unlisted_module = false;           // names a module that is not in the tree
    const std::string* uncorroborated = nullptr;  // a path that is a module only if other evidence names it
  };
  StackModule find(const ExporterProperties& properties);

 private:
  StackModule parse(const ExporterProperties& properties);
  ModuleId find_called(std::string_view path, ModuleId caller);

  ModuleTree& tree_;
  std::deque<std::string> uncorroborated_;
  std::unordered_map<std::string_view, StackModule>
      seen_;  // key: the text of the stack before its last entry
};

/// `layers.slice(None, 4, None).0` is the first element of a sliced list: `layers.0`. Returns the text
/// unchanged if the slice cannot be resolved: a slice from the end of a list requires the length of the list,
/// which only a complete tree has.
std::string resolve_slices(std::string_view path, const ModuleTree* tree = nullptr);

}  // namespace thence::hierarchy
