// The module stack that exporters and builders write into node metadata: the running modules, outermost
// first, each with its class. How they write it is data (metadata_dialects.h).
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hierarchy/metadata_dialects.h"
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
  bool is_builders = false;         // of a tool that builds graphs: it traces nothing, so it replays no views
};

/// The properties of a node that name its origin, as written.
struct ExporterProperties {
  std::string_view name_scopes;
  std::string_view class_hierarchy;
  std::string_view name_space;
  std::string_view class_path;  // the classes of the modules around the node
  std::string_view rewrite_rule;
  std::optional<MetadataDialects::DialectId> dialect;  // by the keys that only one dialect has
  // Written by an earlier run of thence.
  std::string_view tag_module, tag_class, tag_hf_module, tag_text, tag_fingerprint, tag_confidence;
  std::string_view tag_modules, tag_parts, tag_call, tag_kind;
  std::optional<std::string_view> tag_weight_owner;
  bool tagged = false;
  std::string_view stack_text() const { return name_scopes.empty() ? name_space : name_scopes; }
};
ExporterProperties exporter_properties(const onnx::Node& node);

/// The operation of torch.export that the metadata names: "%mean : [num_users=1] = call_function[...".
/// Empty if there is none.
std::string_view exporter_operation(const onnx::Node& node);

/// The only dialect whose keys the nodes of the model have, besides those that dialects share. Empty if there
/// are none or several.
std::optional<MetadataDialects::DialectId> find_dialect(const onnx::Model& model);

/// Reads the stack in the properties of a node, without the marker that PyTorch writes for a missing stack.
/// Empty if there is no readable stack. Without a dialect, the form of the entries decides.
ExporterStack read_stack(const ExporterProperties& properties);

/// The module that a path of classes leads to: '/Model/Encoder/Layer.0'. Such a path omits lists and layers
/// of torch.nn, so the module is the one that ran the node, or one around it. no_module if several fit, or
/// none.
ModuleId find_by_classes(const ModuleTree& tree, std::string_view class_path);

/// Reads the stacks of many nodes and adds their modules to a tree. Neighbouring nodes mostly share all of a
/// stack except its last entry, so each distinct stack is parsed once.
class StackReader {
 public:
  StackReader(ModuleTree& tree, const onnx::Model& model) : tree_(tree), model_(model) {}

  struct StackModule {
    ModuleId module = no_module;
    bool starts_at_root = false;
    bool is_builders = false;
    bool names_unlisted_module = false;           // names a module that is not in the tree
    const std::string* uncorroborated = nullptr;  // a path that is a module only if other evidence names it
  };
  StackModule find(ExporterProperties properties);

 private:
  StackModule parse(const ExporterProperties& properties);
  ModuleId find_called(std::string_view path, ModuleId caller);
  std::optional<MetadataDialects::DialectId> dialect_of_model();

  ModuleTree& tree_;
  const onnx::Model& model_;
  std::optional<std::optional<MetadataDialects::DialectId>> dialect_;  // of the model, when it is needed
  std::deque<std::string> uncorroborated_;
  // By dialect, with one for none. The key is the text of the stack, before its last entry if that is an
  // operation.
  std::vector<std::unordered_map<std::string_view, StackModule>> seen_;
};

/// `layers.slice(None, 4, None).0` is the first element of a sliced list: `layers.0`. Returns the text
/// unchanged if the slice cannot be resolved: a slice from the end of a list requires the length of the list,
/// which only a complete tree has.
std::string resolve_slices(std::string_view path, const ModuleTree* tree = nullptr);

}  // namespace thence::hierarchy
