// ScopeCorrespondence: finds the module of each scope of a graph that another tool than PyTorch's exporters
// built. Its scopes resemble the paths of a reference model, but they are the tool's own: what proves the
// module of a scope are the weights that its nodes read.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hierarchy/scope_index.h"
#include "hierarchy/weight_owners.h"

namespace thence::hierarchy {

class ScopeCorrespondence {
 public:
  ScopeCorrespondence(const onnx::Model& model, ModuleTree& tree, Scopes& scopes,
                      const std::vector<ScopeId>& node_scopes, const WeightOwners& owners);
  void run();

 private:
  void collect_weights();
  void find_unknown_matrices();
  void find_scopes_inside();
  void resolve(ScopeId id);
  ModuleId named_module(const Scope& scope, ModuleId outer);
  bool fits(ScopeId id, ModuleId module) const;
  ModuleId module_of_weights(ScopeId id) const;
  std::vector<ScopeMatch> around_unknown(ScopeId id, ModuleId outer) const;
  ModuleId inner_part(ScopeId id, ModuleId named) const;
  ModuleId common_module(ScopeId id) const;

  const onnx::Model& model_;
  ModuleTree& tree_;
  Scopes& scopes_;
  const std::vector<ScopeId>& node_scopes_;
  const WeightOwners& owners_;

  struct Content {
    std::vector<OwnerPaths> weights;  // the owners of what the scope and those inside it read
    // Of its own nodes: some are activation functions, some compute a function of each element, some do not.
    bool activates = false, has_functions = false, has_others = false;
    bool has_unknown_matrix = false;   // a weight that the reference lacks, read by one node
    bool has_unknown_product = false;  // one that is multiplied, also by scopes inside
    bool has_scopes = false;          // others are inside
    bool has_parts = false;           // some weights are parts of parameters
    std::size_t largest_inner = 0;    // weights of the scope inside that has most
    bool may_be_activation() const { return activates || (has_functions && !has_others); }
  };
  std::vector<Content> contents_;                         // by scope
  std::unordered_map<ModuleId, std::size_t> times_read_;  // weights of a module and those inside it
  std::unordered_set<ModuleId> with_parameters_;          // of a module or inside it
};

}  // namespace thence::hierarchy
