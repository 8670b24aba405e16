// ModuleTree: the modules of a PyTorch model, as `named_modules()` would list them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/text_index.h"
#include "base/text_store.h"
#include "modules/call_number.h"

namespace thence::modules {

using ModuleId = std::uint32_t;
inline constexpr ModuleId root = 0;
inline constexpr ModuleId no_module = 0xffffffff;

struct Module {
  std::string_view path;        // "" for the root
  std::string_view class_name;  // qualified; empty if unknown
  ModuleId parent = no_module;
  std::uint32_t name_at = 0;  // start of the path's last atom, or of the part that the parent's path lacks
  std::vector<ModuleId> children;         // in order of registration, as far as known
  std::vector<std::string_view> aliases;  // other paths of the same module
  ModuleId first = no_module;             // the same module at its first path, if this is another path of it
  std::optional<std::uint32_t> calls;     // number of forward calls, if a capture has it
  bool only_numbers = true;               // all children have integer names
  bool is_scope = false;                  // see ModuleTree::mark_scope

  /// The last atom of the path.
  std::string_view name() const { return path.substr(name_at); }
};

/// The position of a module in a repeated block: `encoder.layer`, 3.
struct LayerStep {
  std::string_view container;
  std::uint64_t index;
};

class ModuleTree {
 public:
  /// Longer or deeper paths are not accepted as modules.
  // errors.md: path of a module
  static constexpr std::size_t max_path_length = 1024;
  // errors.md: path of a module
  // errors.md: a scope in a name
  static constexpr std::size_t max_depth = 64;
  // errors.md: name of a class
  static constexpr std::size_t max_class_length = 512;
  // errors.md: layers in `layer_path`
  static constexpr std::size_t max_layer_steps = 8;
  /// Siblings with which a module is compared to find out whether it repeats. Layers repeat at once.
  static constexpr std::size_t max_compared_siblings = 64;
  /// Aliases that are compared to find the paths that modules were called by: those of a module, once for
  /// each of its callers. Past the limit, calls are those of the first path.
  static constexpr std::size_t max_alias_comparisons = 100'000'000;

  ModuleTree();
  ModuleTree(const ModuleTree&) = delete;
  ModuleTree& operator=(const ModuleTree&) = delete;
  ModuleTree(ModuleTree&&) = default;
  ModuleTree& operator=(ModuleTree&&) = default;

  /// Returns a copy with the same module numbers.
  ModuleTree copy() const;

  /// Adds a module and its missing ancestors. An existing module gets the class if it has none. Returns
  /// no_module if the path is malformed or exceeds the limits, or if the tree is full.
  ModuleId add(std::string_view path, std::string_view class_name = {});
  /// Adds a child module with any path, because the view of a model omits levels and renames modules. The
  /// path must be new.
  ModuleId add_child(ModuleId parent, std::string_view path, std::string_view class_name);
  void add_alias(ModuleId module, std::string_view path);
  /// Gives a module the aliases of one of another tree. Those that are modules here are only listed.
  void copy_aliases(ModuleId module, const Module& original);
  /// A path that only names of nodes mention, which are those of the tool that wrote the file: nothing shows
  /// that it is a module.
  void mark_scope(ModuleId module) { modules_[module].is_scope = true; }
  void set_calls(ModuleId module, std::uint32_t calls) { modules_[module].calls = calls; }
  /// The module with this path or alias.
  ModuleId find(std::string_view path) const;
  /// The module with this path. An alias becomes a separate module, because nodes are reported by the path
  /// that their module was called by.
  ModuleId find_as_called(std::string_view path);
  /// The same module by the path below its caller with the fewest atoms, and of those the first. If the
  /// caller does not contain it, its first path.
  ModuleId as_called_by(ModuleId caller, ModuleId module);
  bool has_aliases() const { return has_aliases_; }
  /// Whether both are the same module, by the same path or by two of its paths.
  bool is_same_module(ModuleId a, ModuleId b) const { return at_first_path(a) == at_first_path(b); }
  ModuleId at_first_path(ModuleId module) const {
    return modules_[module].first == no_module ? module : modules_[module].first;
  }

  const Module& operator[](ModuleId module) const { return modules_[module]; }
  /// In order of registration if a capture or tags gave it. A tree rebuilt from names has modules in the
  /// order of the file's nodes, which optimisers change; its children are in the natural order of their
  /// names.
  std::vector<ModuleId> ordered_children(ModuleId module) const;
  bool has_registration_order() const { return is_registered_; }
  void set_registration_order() { is_registered_ = true; }
  /// The listed modules keep their order, but a file may name others.
  void allow_more_modules() {
    is_complete_ = false;
    is_registered_ = true;
  }
  std::size_t size() const { return modules_.size(); }

  /// A few bytes of names can require many modules, so a tree that grows from a file has a memory limit. Once
  /// the limit is reached, the tree is full and further modules are unknown.
  void set_memory_limit(std::size_t bytes) { memory_left_ = bytes; }
  bool charge_memory(std::size_t bytes);
  bool is_full() const { return is_full_; }

  /// The tree of a capture has every module. A tree rebuilt from a file has only modules that the file names.
  bool is_complete() const { return is_complete_; }
  /// Whether a module with this path would be in the tree. The capture of a model that a file wraps has the
  /// modules below the wrapped model only.
  bool is_complete_at(std::string_view path) const;
  void set_complete(std::string_view wrapped_at = {}) {
    is_complete_ = true;
    wrapped_at_ = texts_.store(wrapped_at);
  }
  /// The path of the wrapped model; empty if the tree is that of the whole model.
  std::string_view wrapped_at() const { return wrapped_at_; }
  bool has_classes() const { return classes_ > 0; }

  bool is_within(ModuleId inner, ModuleId outer) const;  // also true if they are equal
  ModuleId nearest_common_module(ModuleId a, ModuleId b) const;
  /// The nearest module that can run operations. A list of modules cannot.
  ModuleId nearest_runnable(ModuleId module) const;

  /// Finds the repeated blocks. Call it after all modules are added.
  void find_layers();
  /// The repeated blocks around a module, outermost first; at most max_layer_steps.
  std::vector<LayerStep> layer_path(ModuleId module) const;

 private:
  bool is_repeated(const Module& module) const;
  ModuleId append(ModuleId parent, std::string_view path, std::size_t name_at);
  ModuleId append_stored(ModuleId parent, std::string_view stored_path, std::size_t name_at);
  void set_class(ModuleId module, std::string_view class_name);
  void index(std::string_view path, ModuleId module);

  struct Path {
    std::string_view text;
    ModuleId module;
  };
  std::deque<Module> modules_;
  std::vector<Path> paths_;  // including aliases
  base::TextIndex by_path_;  // into paths_
  base::TextStore texts_;
  std::unordered_set<std::string_view> class_names_;  // few distinct names
  std::size_t classes_ = 0;
  std::size_t memory_left_ = static_cast<std::size_t>(-1);
  bool is_full_ = false;
  bool is_complete_ = false;
  bool is_registered_ = false;  // modules were added in order of registration
  std::string_view wrapped_at_;
  bool has_aliases_ = false;
  std::size_t alias_comparisons_left_ = max_alias_comparisons;
  std::unordered_map<std::uint64_t, ModuleId> called_;  // results of as_called_by(), by caller and first path
  std::vector<bool> is_repeated_;  // by module: whether it is a repeated block; empty before find_layers()
};

/// Whether two paths are in different layers: at the first atom that differs, both are integers.
bool are_in_different_layers(std::string_view a, std::string_view b);

/// Whether a class is in torch.nn, and the last part of a qualified class name.
bool is_torch_nn(std::string_view class_name);
std::string_view short_class(std::string_view class_name);

}  // namespace thence::modules
