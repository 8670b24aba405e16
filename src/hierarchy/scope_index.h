// ScopeIndex: finds the module of each scope in the names of a model.
//
// A scope is the chain of active module calls, each with its scope component. The chain is not a path: lists
// do not appear in it, a called container repeats its name, a method may skip a level, a module may be called
// by a module other than its parent, and the last component may carry the number of a repeated call.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text_index.h"
#include "hierarchy/builder_stacks.h"
#include "hierarchy/parameters.h"
#include "hierarchy/scope_names.h"
#include "modules/module_tree.h"
#include "onnx/model.h"

namespace thence::hierarchy {

using modules::ModuleId;
using modules::ModuleTree;
using modules::no_module;

/// How the last component of a scope was matched with a module, from the most literal interpretation to the
/// least.
enum class ScopeMatchKind : std::uint8_t {
  direct_child,        // direct child of the outer module, and named by other evidence
  repeated_container,  // a called container repeats its name
  skipped_level,       // deeper below: a method ran in between
  foreign_caller,      // called by a module that does not contain it
  other_caller,    // called by a module outside it, which may have it under a path that is not in the file
  uncorroborated,  // no other evidence names this module
  uncorroborated_call,  // the same, and the component ends in a call number
  by_weights,           // another tool's scope: the weights in it belong to the module, or it has its name
  by_outer_scope,       // another tool's scope without weights: inside one of the module
  by_connections,   // one of several modules of that name; only its surroundings are connected to the scope
  other_framework,  // a scope of another framework, taken literally
};

struct ScopeMatch {
  ModuleId module = no_module;
  modules::CallNumber call;  // if the names tell
  ScopeMatchKind kind = ScopeMatchKind::direct_child;
};

using ScopeId = std::uint32_t;
inline constexpr ScopeId no_scope = 0xffffffff;

struct Scope {
  std::string_view text;
  std::string_view component;
  ScopeId outer = no_scope;
  bool is_inner = false;                   // contains other scopes, so its component has no call number
  std::vector<ModuleId> parameter_owners;  // modules with this component whose parameters the scope reads
  std::vector<ScopeMatch> matches;         // best match first; several are candidates; empty: unknown
};

/// Scopes by number, and their numbers by text.
class Scopes {
 public:
  Scope& operator[](ScopeId scope) { return all_[scope]; }
  const Scope& operator[](ScopeId scope) const { return all_[scope]; }
  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  /// Returns no_scope if no scope has this text.
  ScopeId find(std::string_view text) const;
  ScopeId add(std::string_view text, std::string_view component, ScopeId outer);

 private:
  std::deque<Scope> all_;
  base::TextIndex by_text_;
};

class WeightOwners;

class ScopeIndex {
 public:
  /// Reads the scopes of all nodes and finds their modules. Adds the modules that scopes name to an
  /// incomplete tree.
  ScopeIndex(const onnx::Model& model, ModuleTree& tree, const std::vector<ParameterOwner>& parameters);
  /// The same for a graph that another tool built after a reference model. Scopes are those in metadata or,
  /// if no node has one there, those in names.
  ScopeIndex(const onnx::Model& model, ModuleTree& tree, const WeightOwners& owners, BuilderStacks stacks);

  /// The scope in the name of the node, and the scope in the names of its outputs if it differs.
  ScopeId scope_in_name(onnx::NodeId node) const { return name_scopes_[node]; }
  ScopeId scope_in_outputs(onnx::NodeId node) const;
  const Scope& operator[](ScopeId scope) const { return scopes_[scope]; }
  std::size_t size() const { return scopes_.size(); }
  ScopeStyle style() const { return style_; }
  /// Whether the scope in the node's name stands for modules inside its own, which have no scopes.
  bool is_outer(onnx::NodeId node) const { return inside_.contains(node); }
  /// The module inside, if another instance of the same code has a scope for it.
  ModuleId module_inside(onnx::NodeId node) const { return inside_.at(node); }

 private:
  struct ValueScope {
    onnx::NodeId node;
    ScopeId scope;
  };
  std::vector<ScopeId> collect(const onnx::Model& model, ModuleTree& tree);
  std::vector<ScopeId> collect_stacks(const onnx::Model& model, ModuleTree& tree);
  ScopeId intern(std::string_view text, ModuleTree& tree);

  ScopeStyle style_ = ScopeStyle::none;
  BuilderStacks stacks_;  // the texts of scopes that are not in names
  Scopes scopes_;
  std::vector<ScopeId> name_scopes_;
  std::vector<std::string_view> missing_;  // reused buffer: scopes that intern() adds
  std::vector<ValueScope> output_scopes_;  // by node; only if the scope in the node's name differs
  std::unordered_map<onnx::NodeId, ModuleId> inside_;
};

/// Whether the file names scopes as PyTorch's exporters do not: its scopes are those of the tool that built
/// it.
bool has_foreign_scopes(const onnx::Model& model);

/// The component without the number of a repeated call: "fc" for "fc_2". Empty if it has no such number.
std::string_view component_without_number(const Scope& scope);

}  // namespace thence::hierarchy
