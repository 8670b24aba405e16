#include "hierarchy/scope_correspondence.h"

#include <algorithm>
#include <string>

#include "dataflow/operator_traits.h"
#include "dataflow/weight_elements.h"
#include "hierarchy/initializer_behind.h"
#include "hierarchy/limits.h"

namespace thence::hierarchy {
namespace {

using modules::root;

bool is_constant(const onnx::Model& model, onnx::ValueId value) {
  const onnx::Producer producer = model.producer(value);
  return initializer_behind(model, value) != onnx::none ||
         (producer.kind == onnx::Producer::Kind::node && model.node(producer.index).op_type() == "Constant");
}

bool is_matrix(const onnx::Model& model, std::uint32_t initializer) {
  const onnx::Initializer& stored = model.initializers()[initializer];
  if (stored.sparse) return false;
  const std::vector<std::int64_t> dims = model.tensor(stored).dims;
  return std::count_if(dims.begin(), dims.end(), [](std::int64_t size) { return size > 1; }) > 1;
}

bool multiplies_weight(std::string_view op_type) {
  return op_type.find("MatMul") != std::string_view::npos || op_type.find("Gemm") != std::string_view::npos ||
         op_type.find("Conv") != std::string_view::npos || !dataflow::packed_inputs(op_type).empty();
}

// Whether it computes each element from one element, as activation functions do. A factor or a sum with a
// constant is none.
bool applies_function(const onnx::Model& model, const onnx::Node& node) {
  if (dataflow::is_activation(node.op_type())) return true;
  if (!dataflow::has_trait(node, dataflow::Trait::elementwise)) return false;
  onnx::ValueId argument = onnx::none;
  for (const onnx::ValueId input : node.inputs()) {
    if (input == onnx::none) continue;
    if (is_constant(model, input)) {
      if (dataflow::has_trait(node, dataflow::Trait::scales)) return false;
      continue;
    }
    if (argument != onnx::none && argument != input) return false;
    argument = input;
  }
  return true;
}

}  // namespace

ScopeCorrespondence::ScopeCorrespondence(const onnx::Model& model, ModuleTree& tree, Scopes& scopes,
                                         const std::vector<ScopeId>& node_scopes, const WeightOwners& owners)
    : model_(model),
      tree_(tree),
      scopes_(scopes),
      node_scopes_(node_scopes),
      owners_(owners),
      contents_(scopes.size()) {}

// Outer scopes have smaller numbers than their inner ones.
void ScopeCorrespondence::run() {
  collect_weights();
  find_unknown_matrices();
  find_scopes_inside();
  for (ScopeId id = 0; id < scopes_.size(); ++id) resolve(id);
}

void ScopeCorrespondence::collect_weights() {
  for (onnx::NodeId id = 0; id < model_.node_count(); ++id) {
    const onnx::Node node = model_.node(id);
    if (node_scopes_[id] == no_scope || prepares_initializer(model_, node)) continue;
    Content& content = contents_[node_scopes_[id]];
    const bool is_function = applies_function(model_, node);
    content.activates |= dataflow::is_activation(node.op_type());
    content.has_functions |= is_function;
    content.has_others |= !is_function;
    for (const onnx::ValueId input : node.inputs())
      if (const std::uint32_t initializer = initializer_behind(model_, input); initializer != onnx::none) {
        content.has_parts |= owners_.held().by_initializer[initializer].is_part;
        for (const OwnerPaths& owner : owners_.of(initializer))
          content.weights.push_back(paths_for(node.op_type(), owner, tree_));
      }
  }
  for (ModuleId module = 0; module < tree_.size(); ++module)
    if (owners_.owns_parameters(module))
      for (ModuleId around = module; around != no_module && with_parameters_.insert(around).second;)
        around = tree_[around].parent;
  for (const Content& content : contents_)
    for (const OwnerPaths& owner : content.weights)
      for (ModuleId around = owner.front(); around != no_module; around = tree_[around].parent)
        ++times_read_[around];
  for (auto id = static_cast<ScopeId>(scopes_.size()); id-- > 0;) {
    if (scopes_[id].outer == no_scope) continue;
    const std::vector<OwnerPaths>& inner = contents_[id].weights;
    std::vector<OwnerPaths>& outer = contents_[scopes_[id].outer].weights;
    outer.insert(outer.end(), inner.begin(), inner.end());
    std::size_t& largest = contents_[scopes_[id].outer].largest_inner;
    largest = std::max(largest, inner.size());
    contents_[scopes_[id].outer].has_parts =
        contents_[scopes_[id].outer].has_parts || contents_[id].has_parts;
  }
}

// Tables that several nodes read are the tool's own.
void ScopeCorrespondence::find_unknown_matrices() {
  struct Read {
    ScopeId scope = no_scope;
    std::size_t times = 0;
    bool is_multiplied = false;
  };
  std::unordered_map<std::uint32_t, Read> reads;  // by initializer
  for (onnx::NodeId id = 0; id < model_.node_count(); ++id) {
    if (node_scopes_[id] == no_scope || prepares_initializer(model_, model_.node(id))) continue;
    for (const onnx::ValueId input : model_.node(id).inputs()) {
      const std::uint32_t initializer = initializer_behind(model_, input);
      if (initializer != onnx::none && !owners_.held().by_initializer[initializer].is_known() &&
          is_matrix(model_, initializer)) {
        Read& read = reads[initializer];
        read.scope = node_scopes_[id];
        ++read.times;
        read.is_multiplied |= multiplies_weight(model_.node(id).op_type());
      }
    }
  }
  for (const auto& [initializer, read] : reads) {
    if (read.times != 1) continue;
    contents_[read.scope].has_unknown_matrix = true;
    for (ScopeId around = read.scope; read.is_multiplied && around != no_scope; around = scopes_[around].outer)
      contents_[around].has_unknown_product = true;
  }
}

// Scopes inside others, but for those that are the name of a node: tools name the casts around it after its
// outputs.
void ScopeCorrespondence::find_scopes_inside() {
  std::vector<bool> is_node(scopes_.size(), false);
  for (onnx::NodeId id = 0; id < model_.node_count(); ++id)
    if (const ScopeId scope = scopes_.find(model_.node(id).name()); scope != no_scope) is_node[scope] = true;
  for (ScopeId id = 0; id < scopes_.size(); ++id)
    if (scopes_[id].outer != no_scope && !is_node[id]) contents_[scopes_[id].outer].has_scopes = true;
}

// A scope named like a child of the outer scope's module is that child, unless its weights belong elsewhere.
// One without weights belongs to the module around it.
void ScopeCorrespondence::resolve(ScopeId id) {
  Scope& scope = scopes_[id];
  if (scope.outer == no_scope) {
    scope.matches = {{root, {}, ScopeMatchKind::direct_child}};
    return;
  }
  const ModuleId outer = scopes_[scope.outer].matches.front().module;
  const ModuleId named = named_module(scope, outer);
  if (named != no_module && fits(id, named))
    scope.matches = {{inner_part(id, named), {}, ScopeMatchKind::by_weights}};
  else if (!contents_[id].weights.empty())
    scope.matches = {{module_of_weights(id), {}, ScopeMatchKind::by_weights}};
  else if (const ModuleId activation =
               contents_[id].may_be_activation() ? owners_.activation_in(tree_, outer) : no_module;
           activation != no_module)
    scope.matches = {{activation, {}, ScopeMatchKind::by_weights}};
  else
    scope.matches = around_unknown(id, outer);
}

// The module around it. A matrix that the reference lacks may be that of a child whose weights are not found
// in the file, such as a table that is computed; one that is multiplied, also of a module inside a child.
std::vector<ScopeMatch> ScopeCorrespondence::around_unknown(ScopeId id, ModuleId outer) const {
  std::vector<ScopeMatch> matches = {{outer, {}, ScopeMatchKind::by_outer_scope}};
  const Content& content = contents_[id];
  if (!content.has_unknown_matrix && !content.has_unknown_product) return matches;
  const auto may_own = [&](ModuleId child) {
    if (times_read_.contains(child)) return false;
    if (!tree_[child].children.empty())
      return content.has_unknown_product && with_parameters_.contains(child);
    return owners_.owns_parameters(child) ||
           (content.has_unknown_matrix && !modules::is_torch_nn(tree_[child].class_name));
  };
  for (const ModuleId child : tree_[outer].children)
    if (may_own(child) && matches.size() < max_scope_candidates)
      matches.push_back({child, {}, ScopeMatchKind::by_outer_scope});
  return matches;
}

// The module of a scope that is named like `named`: a module inside it that has all weights of the scope, if
// other scopes read the rest of the weights.
ModuleId ScopeCorrespondence::inner_part(ScopeId id, ModuleId named) const {
  const std::vector<OwnerPaths>& weights = contents_[id].weights;
  const auto read = times_read_.find(named);
  if (weights.empty() || read == times_read_.end() || read->second <= weights.size()) return named;
  const ModuleId common = common_module(id);
  const bool is_inside = common != named && tree_.is_within(common, named) && !tree_[common].children.empty();
  return is_inside ? tree_.nearest_runnable(common) : named;
}

ModuleId ScopeCorrespondence::named_module(const Scope& scope, ModuleId outer) {
  std::string path(tree_[outer].path);
  if (!path.empty()) path += '.';
  return tree_.find_as_called(path.append(scope.component));
}

// Whether most of the weights belong to the module.
bool ScopeCorrespondence::fits(ScopeId id, ModuleId module) const {
  const std::vector<OwnerPaths>& owners = contents_[id].weights;
  const auto inside = std::count_if(owners.begin(), owners.end(), [&](const OwnerPaths& paths) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](ModuleId path) { return tree_.is_within(path, module); });
  });
  return 2 * static_cast<std::size_t>(inside) >= owners.size();
}

// The module that its weights have in common. It is the module around that if one scope inside has all the
// weights, and whole ones, or if it is a layer of torch.nn, which has nothing inside.
ModuleId ScopeCorrespondence::module_of_weights(ScopeId id) const {
  const ModuleId common = common_module(id);
  const Content& content = contents_[id];
  const bool is_inside = (content.largest_inner == content.weights.size() && !content.has_parts) ||
                         modules::is_torch_nn(tree_[common].class_name);
  const bool is_around = content.has_scopes && is_inside && common != root && tree_[common].children.empty();
  return tree_.nearest_runnable(is_around ? tree_[common].parent : common);
}

ModuleId ScopeCorrespondence::common_module(ScopeId id) const {
  ModuleId common = contents_[id].weights.front().front();
  for (const OwnerPaths& each : contents_[id].weights)
    common = tree_.nearest_common_module(common, each.front());
  return common;
}

}  // namespace thence::hierarchy
