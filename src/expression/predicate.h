// Predicate: an expression, bound to a map and evaluated for its nodes.
#pragma once

#include <vector>

#include "base/result.h"
#include "expression/comparison.h"
#include "expression/syntax.h"
#include "semantics/map.h"

namespace thence::expression {

/// Values have two truths: a comparison with an unknown value is false, except `= null`; `!=` and `not` are
/// the opposites. Every node is therefore selected either by an expression or by its negation.
class Predicate {
 public:
  /// Takes time proportional to the modules. The map must outlive the predicate.
  static Result<Predicate> bind(const Expression& expression, const semantics::Map& map);

  /// Not thread-safe.
  bool matches(onnx::NodeId node) { return matches(root_, node); }

 private:
  // The result of a comparison that depends on modules only.
  struct ModuleResults {
    std::vector<bool> of;  // by module
    bool of_unknown = false;
  };

  Predicate(const Expression& expression, const semantics::Map& map,
            std::vector<BoundComparison> comparisons);
  void evaluate_modules();
  void evaluate_modules(const Column& column, const std::vector<std::size_t>& comparisons);
  void include_submodules(ModuleResults& results) const;

  bool matches(const Term& term, onnx::NodeId node);
  bool holds(std::size_t comparison, onnx::NodeId node);
  bool holds_for_module(std::size_t comparison, onnx::NodeId node);
  const std::vector<modules::ModuleId>& members_of(onnx::NodeId node);

  const semantics::Map& map_;
  Term root_;
  std::vector<BoundComparison> comparisons_;
  std::vector<ModuleResults> by_module_;  // by comparison; empty if it depends on nodes
  ColumnReader left_, right_;
  Value left_value_, right_value_;
  onnx::NodeId member_node_ = onnx::none;  // whose members are cached
  std::vector<modules::ModuleId> members_;
};

}  // namespace thence::expression
