// Finds scopes that look like further calls of a module but read the weights of another one.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/text.h"
#include "hierarchy/scope_resolver.h"
#include "onnx/content_hash.h"

namespace thence::hierarchy {
namespace {

// Whether two sorted lists have a common item, or one of them is empty.
bool share_an_item_or_are_empty(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  auto in_a = a.begin(), in_b = b.begin();
  while (in_a != a.end() && in_b != b.end()) {
    if (*in_a == *in_b) return true;
    ++(*in_a < *in_b ? in_a : in_b);
  }
  return a.empty() || b.empty();
}

// Gives initializers numbers that tell weights apart. Vectors with equal numbers get one number: if an
// exporter computes them from a parameter, it writes one for each call. Matrices are always stored once.
class WeightNumbers {
 public:
  explicit WeightNumbers(const onnx::Model& model) : model_(model) {}

  // Empty if the initializer may be a constant of any module: integers and single numbers. Data are read once
  // for each initializer, however many nodes read it.
  std::optional<std::uint32_t> number_of(std::uint32_t index) {
    const auto [known, is_new] = numbers_.try_emplace(index);
    if (is_new) known->second = find_number(index);
    return known->second;
  }

 private:
  std::optional<std::uint32_t> find_number(std::uint32_t index) {
    const onnx::Initializer initializer = model_.initializers()[index];
    const onnx::TensorView tensor = model_.tensor(initializer);
    if (tensor.dims.size() >= 2) return index;
    if (tensor.dims.size() != 1 || tensor.dims[0] < 2 || !onnx::is_float(tensor.data_type)) return {};
    const std::optional<onnx::ContentHash> hash = onnx::hash_content(model_, initializer);
    if (!hash) return {};
    return by_content_.emplace(hash->exact, index).first->second;
  }

  const onnx::Model& model_;
  std::unordered_map<std::uint32_t, std::optional<std::uint32_t>> numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_content_;
};

}  // namespace

// By scope, for the given ones: the weights that its nodes read, sorted.
ScopeResolver::WeightsByScope ScopeResolver::weights_read(const std::vector<bool>& is_wanted) const {
  WeightsByScope weights(scopes_.size());
  WeightNumbers numbers(model_);
  for (onnx::NodeId id = 0; id < model_.node_count(); ++id) {
    if (node_scopes_[id] == no_scope || !is_wanted[node_scopes_[id]]) continue;
    for (const onnx::ValueId input : model_.node(id).inputs()) {
      if (input == onnx::none) continue;
      const onnx::Producer producer = model_.producer(input);
      if (producer.kind != onnx::Producer::Kind::initializer) continue;
      if (const auto number = numbers.number_of(producer.index)) weights[node_scopes_[id]].push_back(*number);
    }
  }
  for (std::vector<std::uint32_t>& each : weights) std::sort(each.begin(), each.end());
  return weights;
}

// Further calls of a module read the weights of its first call. If "fc_1" reads other weights than "fc", it
// is another module: of this very name, or of the same name in a container that is never called (`down.fc`
// and `up.fc`). The paths that the scopes spell are not known to exist.
void ScopeResolver::doubt_names_of_several_modules() {
  std::unordered_map<ModuleId, std::vector<ScopeId>> calls;
  std::vector<bool> is_wanted(scopes_.size());
  bool has_further_calls = false;
  for (ScopeId id = 0; id < scopes_.size(); ++id) {
    const Scope& scope = scopes_[id];
    if (scope.is_inner || scope.outer == no_scope || scope.matches.size() != 1) continue;
    const ScopeMatchKind kind = scope.matches.front().kind;
    const bool is_further_call = kind == ScopeMatchKind::uncorroborated_call;
    if (kind != ScopeMatchKind::uncorroborated && !is_further_call) continue;
    calls[scope.matches.front().module].push_back(id);
    is_wanted[id] = true;
    has_further_calls |= is_further_call;
  }
  if (!has_further_calls) return;
  const WeightsByScope weights = weights_read(is_wanted);
  for (const auto& [module, scopes] : calls) doubt_names_of(scopes, weights);
}

// If the exporter has numbered the scopes, the outer module stays a candidate, because it calls both.
void ScopeResolver::doubt_names_of(const std::vector<ScopeId>& scopes, const WeightsByScope& weights) {
  const auto is_first_call = [&](ScopeId id) {
    return scopes_[id].matches.front().kind == ScopeMatchKind::uncorroborated;
  };
  const auto found = std::find_if(scopes.begin(), scopes.end(), is_first_call);
  const std::vector<std::uint32_t>& first = weights[found == scopes.end() ? scopes.front() : *found];
  const auto is_another_module = [&](ScopeId id) { return !share_an_item_or_are_empty(first, weights[id]); };
  if (std::none_of(scopes.begin(), scopes.end(), is_another_module)) return;
  const bool is_doubtful = is_numbered_in_order(scopes);
  for (const ScopeId id : scopes) {
    if (is_another_module(id)) take_literally(scopes_[id]);
    if (!is_doubtful) continue;
    for (const ScopeMatch& outer : scopes_[scopes_[id].outer].matches)
      scopes_[id].matches.push_back({outer.module, {}, ScopeMatchKind::uncorroborated});
  }
}

// Whether the scopes have the numbers that an exporter would add, in the order of the file: "fc", "fc_1".
// Otherwise the numbers are those of the modules' names.
bool ScopeResolver::is_numbered_in_order(const std::vector<ScopeId>& scopes) const {
  for (unsigned expected = 0; expected < scopes.size(); ++expected) {
    base::NumberedName name{};
    const bool has_number = base::take_number_suffix(scopes_[scopes[expected]].component, name);
    const bool is_call =
        scopes_[scopes[expected]].matches.front().kind == ScopeMatchKind::uncorroborated_call;
    if ((has_number && is_call ? name.number : 0) != expected) return false;
  }
  return true;
}

// Replaces the module whose further call the scope looked like by one whose name ends in the number.
void ScopeResolver::take_literally(Scope& scope) {
  const ModuleId outer = scopes_[scope.outer].matches.front().module;
  const ModuleId module = tree_.add(join_path(tree_[outer].path, scope.component));
  if (module != no_module) scope.matches.front().module = module;
}

}  // namespace thence::hierarchy
