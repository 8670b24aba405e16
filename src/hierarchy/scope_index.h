// ScopeIndex: which module each scope in a model's names means.
//
// A scope is the chain of modules that were being called, each by its scope component. The chain is not a
// path: lists leave no trace, a called container repeats its own name, a method may skip a level, a module
// may be called by another than its parent, and the last component may carry the number of a repeated call.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "base/text_index.h"
#include "hierarchy/parameters.h"
#include "hierarchy/scope_names.h"
#include "modules/module_tree.h"
#include "onnx/model.h"

namespace thence::hierarchy {

using modules::ModuleId;
using modules::ModuleTree;
using modules::no_module;

/// How a scope's last component came to mean a module, from the plainest to the boldest reading.
enum class Fit : std::uint8_t {
  known,      // the module called, straight below the one around it, and known by other evidence
  container,  // a called container repeats its name
  skipped,    // deeper below: a method ran in between
  foreign,    // called by a module that is not its parent
  spelled,    // nothing but the name itself says that there is such a module
  counted,    // and its number, which call of it this is
  wired,      // one of several of that name, picked because only that one's surroundings are wired to it
  bare,       // another framework's scope, taken as it is
};

struct ScopeMatch {
  ModuleId module = no_module;
  std::uint32_t call = 0;  // which call of the module, as far as the names tell
  Fit fit = Fit::known;
};

using ScopeId = std::uint32_t;
inline constexpr ScopeId no_scope = 0xffffffff;

struct Scope {
  std::string_view text;
  std::string_view component;
  ScopeId outer = no_scope;
  bool is_inner = false;                   // some scope lies inside it: its component carries no call number
  std::vector<ModuleId> parameter_owners;  // modules of that component whose parameters are read in it
  std::vector<ScopeMatch> matches;         // the best reading first; several are rivals; none: unknown
};

/// Scopes by number, and their numbers by text.
class Scopes {
 public:
  Scope& operator[](ScopeId scope) { return all_[scope]; }
  const Scope& operator[](ScopeId scope) const { return all_[scope]; }
  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  /// no_scope when there is none of that text.
  ScopeId find(std::string_view text) const;
  ScopeId add(std::string_view text, std::string_view component, ScopeId outer);

 private:
  std::deque<Scope> all_;
  base::TextIndex by_text_;
};

class ScopeIndex {
 public:
  /// Reads the scopes of all nodes and decides what each means. A tree that is not complete grows by the
  /// modules that the scopes spell out.
  ScopeIndex(const onnx::Model& model, ModuleTree& tree, const std::vector<ParameterOwner>& parameters);

  /// The scope in the node's own name, and the one its outputs' names tell where that differs.
  ScopeId of_name(onnx::NodeId node) const { return of_name_[node]; }
  ScopeId of_values(onnx::NodeId node) const;
  const Scope& operator[](ScopeId scope) const { return scopes_[scope]; }
  std::size_t size() const { return scopes_.size(); }

 private:
  struct ValueScope {
    onnx::NodeId node;
    ScopeId scope;
  };
  void collect(const onnx::Model& model, ModuleTree& tree);
  ScopeId intern(std::string_view text, ModuleTree& tree);

  ScopeStyle style_ = ScopeStyle::none;
  Scopes scopes_;
  std::vector<ScopeId> of_name_;
  std::vector<std::string_view> missing_;  // kept for its memory: scopes that intern() adds
  std::vector<ValueScope> of_values_;      // only where the node's own name says something else; by node
};

}  // namespace thence::hierarchy
