#include "expression/predicate.h"

#include <algorithm>
#include <map>

#include "expression/bind.h"
#include "expression/check_names.h"

namespace thence::expression {

using modules::ModuleId;
using modules::no_module;
using onnx::NodeId;

Result<Predicate> Predicate::bind(const Expression& expression, const semantics::Map& map) {
  Result<std::vector<BoundComparison>> comparisons = bind_comparisons(expression);
  if (!comparisons) return comparisons.error();
  if (const std::optional<Error> error = check_names(expression.text, *comparisons, map)) return *error;
  return Predicate(expression, map, *std::move(comparisons));
}

Predicate::Predicate(const Expression& expression, const semantics::Map& map,
                     std::vector<BoundComparison> comparisons)
    : map_(map),
      root_(expression.root),
      comparisons_(std::move(comparisons)),
      by_module_(comparisons_.size()),
      left_(map),
      right_(map) {
  evaluate_modules();
}

// Reading a column of a module takes longer than comparing it, so each is read once for all comparisons.
void Predicate::evaluate_modules() {
  std::map<const Column*, std::vector<std::size_t>> by_column;
  for (std::size_t i = 0; i < comparisons_.size(); ++i)
    if (comparisons_[i].is_by_module()) by_column[comparisons_[i].column].push_back(i);
  for (const auto& [column, comparisons] : by_column) evaluate_modules(*column, comparisons);
}

void Predicate::evaluate_modules(const Column& column, const std::vector<std::size_t>& comparisons) {
  const auto module_count = static_cast<ModuleId>(map_.tree().size());
  for (const std::size_t i : comparisons) by_module_[i].of.resize(module_count);
  Value value;
  for (ModuleId module = 0; module < module_count; ++module) {
    value.clear();
    column.read(left_, {.module = module}, value);
    for (const std::size_t i : comparisons) by_module_[i].of[module] = comparisons_[i].compare(value);
  }
  value.clear();
  column.read(left_, {}, value);
  for (const std::size_t i : comparisons) {
    by_module_[i].of_unknown = comparisons_[i].compare(value);
    if (column.includes_submodules && comparisons_[i].literal.kind != Operand::Kind::null)
      include_submodules(by_module_[i]);
  }
}

void Predicate::include_submodules(ModuleResults& results) const {
  for (ModuleId module = 1; module < results.of.size(); ++module)  // outer modules come first
    if (results.of[map_.tree()[module].parent]) results.of[module] = true;
}

// The depth of the tree is limited by the parser.
bool Predicate::matches(const Term& term, NodeId node) {
  const auto operand_matches = [&](const Term& operand) { return matches(operand, node); };
  switch (term.kind) {
    case Term::Kind::all_of: return std::all_of(term.operands.begin(), term.operands.end(), operand_matches);
    case Term::Kind::any_of: return std::any_of(term.operands.begin(), term.operands.end(), operand_matches);
    case Term::Kind::negation: return !matches(term.operands.front(), node);
    default: return holds(term.comparison, node) != comparisons_[term.comparison].is_negated;
  }
}

bool Predicate::holds(std::size_t comparison, NodeId node) {
  const BoundComparison& bound = comparisons_[comparison];
  if (bound.is_by_module()) return holds_for_module(comparison, node);
  const Subject subject{.node = node, .module = map_.answer(node).module};
  left_value_.clear();
  bound.column->read(left_, subject, left_value_);
  if (bound.other == nullptr) return bound.compare(left_value_);
  right_value_.clear();
  bound.other->read(right_, subject, right_value_);
  return bound.compare(left_value_, right_value_);
}

bool Predicate::holds_for_module(std::size_t comparison, NodeId node) {
  const ModuleResults& results = by_module_[comparison];
  const resolve::Attribution& answer = map_.answer(node);
  if (comparisons_[comparison].column->scope == Scope::members && answer.module_set != 0) {
    const std::vector<ModuleId>& members = members_of(node);
    return std::any_of(members.begin(), members.end(), [&](ModuleId module) { return results.of[module]; });
  }
  return answer.known() ? results.of[answer.module] : results.of_unknown;
}

const std::vector<ModuleId>& Predicate::members_of(NodeId node) {
  if (member_node_ != node) members_ = map_.modules_of(node);
  member_node_ = node;
  return members_;
}

}  // namespace thence::expression
