// ScopeResolver: finds the module of each scope, outermost scopes first. It uses the module tree, then the
// parameters that a scope reads, and last the connections of the scope.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hierarchy/scope_index.h"

namespace thence::hierarchy {

class ScopeResolver {
 public:
  ScopeResolver(const onnx::Model& model, ModuleTree& tree, ScopeStyle style, Scopes& scopes,
                const std::vector<ScopeId>& node_scopes);
  void run(const std::vector<ParameterOwner>& parameters);

 private:
  std::vector<ScopeId> order_outermost_first() const;
  void collect_owners(const std::vector<ParameterOwner>& parameters);
  void propagate_owners_outwards(const std::vector<ScopeId>& order);
  void resolve(Scope& scope);
  void resolve_with_ambiguous_outer(Scope& scope, const std::vector<ScopeMatch>& outers);
  ScopeMatchKind match_kind_of(const Scope& scope, ModuleId module, std::string_view component) const;
  bool resolve_component(Scope& scope, ModuleId outer, std::string_view component);
  void match_parameter_owners(Scope& scope, ModuleId outer, std::string_view component);
  void match_by_name(Scope& scope, ModuleId outer, std::string_view component);
  void add_match_below(Scope& scope, ModuleId outer, ModuleId module);
  void add_named_module(Scope& scope, ModuleId outer);
  bool is_called_elsewhere(const Scope& scope) const;
  /// The scopes to which an ambiguous scope is connected.
  struct Connections {
    std::vector<ScopeId> scopes;
    bool has_unnamed = false;  // also connected to a node without a scope, so `scopes` is incomplete
    bool needs_update = true;  // a connected scope was decided since the last attempt
  };
  bool is_ambiguous(ScopeId scope) const;
  void connect(onnx::NodeId writer, onnx::NodeId reader, std::vector<Connections>& connections) const;
  std::vector<Connections> connections_of_ambiguous_scopes() const;
  void decide_ambiguous_scopes();
  bool decide_by_connections(ScopeId id, std::vector<Connections>& connections);
  void find_siblings();
  bool is_numbered_without_gaps(const std::string& text, const std::vector<ScopeId>& group) const;
  bool has_one_module_per_scope(const std::vector<ScopeId>& group) const;
  bool decide_by_exclusion(ScopeId id);
  ModuleId pick_by_neighbours(const Scope& scope, const std::vector<ScopeId>& neighbours,
                              bool has_unnamed_neighbour);
  using WeightsByScope = std::vector<std::vector<std::uint32_t>>;
  WeightsByScope weights_read(const std::vector<bool>& is_wanted) const;
  void doubt_names_of_several_modules();
  void doubt_names_of(const std::vector<ScopeId>& scopes, const WeightsByScope& weights);
  bool is_numbered_in_order(const std::vector<ScopeId>& scopes) const;
  void take_literally(Scope& scope);
  void number_calls();
  bool has_own_scope(ModuleId module) const;
  std::string_view join_path(std::string_view outer, std::string_view component);
  std::string_view repeated_container(std::string_view outer, std::string_view component);
  bool is_listed(ModuleId outer, std::string_view component);
  bool add_match(Scope& scope, ModuleId module, ScopeMatchKind kind);
  bool charge_work(std::size_t work);

  const onnx::Model& model_;
  ModuleTree& tree_;
  ScopeStyle style_;
  Scopes& scopes_;
  const std::vector<ScopeId>& node_scopes_;  // in the name of the node or else of its outputs
  std::unordered_map<std::string_view, std::vector<ModuleId>> by_component_;  // for a complete tree
  // Groups of undecided scopes that differ only in their number and have as many candidate modules as scopes,
  // so that each module has one scope.
  std::unordered_map<ScopeId, std::shared_ptr<std::vector<ScopeId>>> siblings_;
  // Limits on the work for ambiguous scopes and on the number of stored candidates. A malicious file that
  // exceeds them gets unknown scopes.
  std::size_t work_left_ = 0, candidates_left_ = 0;
  std::vector<ScopeId>
      matched_;  // by module: the last scope matched to it, so that no scope lists a module twice
  ScopeId current_ = no_scope;     // the current scope
  ModuleId first_new_module_ = 0;  // modules with smaller numbers were known before scopes were read
  std::string path_;               // the last result of join_path() or repeated_container()
};

}  // namespace thence::hierarchy
