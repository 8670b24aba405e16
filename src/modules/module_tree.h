// ModuleTree: the modules of a PyTorch model, as `named_modules()` would list them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/text_index.h"
#include "base/text_store.h"

namespace thence::modules {

using ModuleId = std::uint32_t;
inline constexpr ModuleId root = 0;
inline constexpr ModuleId no_module = 0xffffffff;

struct Module {
  std::string_view path;        // "" for the root
  std::string_view class_name;  // qualified; empty when unknown
  ModuleId parent = no_module;
  std::uint32_t name_at = 0;              // where the path's last atom begins, or what its parent's lacks
  std::vector<ModuleId> children;         // in order of registration, as far as known
  std::vector<std::string_view> aliases;  // further paths of the same module
  std::optional<std::uint32_t> calls;     // how often its forward ran, when a capture says so
  bool only_numbers = true;               // so are its children called

  /// The last atom of the path.
  std::string_view name() const { return path.substr(name_at); }
};

/// Where a module stands in a repeated block: `encoder.layer`, 3.
struct LayerStep {
  std::string_view container;
  std::uint64_t index;
};

class ModuleTree {
 public:
  /// Longer or deeper paths are no module's: what claims so is not believed.
  static constexpr std::size_t max_path_length = 1024;
  static constexpr std::size_t max_depth = 64;
  static constexpr std::size_t max_class_length = 512;
  static constexpr std::size_t max_layer_steps = 8;

  ModuleTree();
  ModuleTree(const ModuleTree&) = delete;
  ModuleTree& operator=(const ModuleTree&) = delete;
  ModuleTree(ModuleTree&&) = default;
  ModuleTree& operator=(ModuleTree&&) = default;

  /// Another one, with the same modules under the same numbers.
  ModuleTree copy() const;

  /// Adds a module and, where missing, those around it. A known module gets the class if it had none.
  /// no_module when the path is past the limits or malformed, or the tree is full.
  ModuleId add(std::string_view path, std::string_view class_name = {});
  /// Adds a module inside another, whatever its path: what is shown of a model leaves out levels, and has
  /// other names. The path is not that of a module already there.
  ModuleId add_inside(ModuleId parent, std::string_view path, std::string_view class_name);
  void add_alias(ModuleId module, std::string_view path);
  void set_calls(ModuleId module, std::uint32_t calls) { modules_[module].calls = calls; }
  /// The module of this path or alias.
  ModuleId find(std::string_view path) const;

  const Module& operator[](ModuleId module) const { return modules_[module]; }
  std::size_t size() const { return modules_.size(); }

  /// A few bytes of names can ask for many modules. A tree that grows by what a file says takes so many bytes
  /// and no more; from then on it is full, and what is not in it is unknown.
  void set_room(std::size_t bytes) { room_ = bytes; }
  bool take_room(std::size_t bytes);
  bool full() const { return full_; }

  /// A capture's tree holds every module; one rebuilt from a file holds those that left a trace.
  bool complete() const { return complete_; }
  void set_complete() { complete_ = true; }
  bool has_classes() const { return classes_ > 0; }

  bool within(ModuleId inner, ModuleId outer) const;  // also when they are the same
  ModuleId common_ancestor(ModuleId a, ModuleId b) const;
  /// The nearest module that can run operations of its own: a list of modules cannot.
  ModuleId nearest_runnable(ModuleId module) const;

  /// Once all modules are there: finds out which of them are repeated blocks.
  void find_layers();
  /// Every repeated block around a module, outermost first; max_layer_steps at most.
  std::vector<LayerStep> layer_path(ModuleId module) const;

 private:
  bool repeats(const Module& module) const;
  ModuleId append(ModuleId parent, std::string_view path, std::size_t name_at);
  void set_class(ModuleId module, std::string_view class_name);
  void index(std::string_view path, ModuleId module);

  struct Path {
    std::string_view text;
    ModuleId module;
  };
  std::deque<Module> modules_;
  std::vector<Path> paths_;  // and aliases
  base::TextIndex by_path_;  // into paths_
  base::TextStore texts_;
  std::unordered_set<std::string_view> class_names_;  // modules share few
  std::size_t classes_ = 0;
  std::size_t room_ = static_cast<std::size_t>(-1);
  bool full_ = false;
  bool complete_ = false;
  std::vector<bool> repeats_;  // whether a module is a repeated block, by module; empty before find_layers()
};

/// Whether two paths lie in different layers: at the first atom where they differ, both are integers.
bool cross_layer(std::string_view a, std::string_view b);

/// Whether a class comes from torch.nn, and the last part of a qualified class name.
bool is_torch_nn(std::string_view class_name);
std::string_view short_class(std::string_view class_name);

}  // namespace thence::modules
