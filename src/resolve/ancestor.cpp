#include "resolve/ancestor.h"

#include <algorithm>
#include <unordered_set>

#include "resolve/propagate.h"
#include "resolve/thresholds.h"

namespace thence::resolve {
namespace {

Reason reason_of(evidence::NoAnswer why) {
  switch (why) {
    case evidence::NoAnswer::none: return Reason::none;
    case evidence::NoAnswer::not_matched: return Reason::not_matched;
    case evidence::NoAnswer::refuted: return Reason::refuted;
    case evidence::NoAnswer::unknown_in_ancestor: return Reason::unknown_in_ancestor;
    case evidence::NoAnswer::ambiguous: return Reason::ambiguous;
    case evidence::NoAnswer::feeds_several: return Reason::feeds_several;
  }
  return Reason::none;
}

// Whether the file's own evidence may answer. A node without a module in the ancestor, or whose numbers
// refute the match, stays unknown.
bool is_open(const evidence::AncestorAnswer& answer, const Attribution& node) {
  if (answer.strength.match == evidence::NodeMatch::enclosed) return true;
  return !node.known() && (answer.no_answer == evidence::NoAnswer::not_matched ||
                           answer.no_answer == evidence::NoAnswer::ambiguous ||
                           answer.no_answer == evidence::NoAnswer::feeds_several);
}

// Whether the exporter's own words in the file name the module.
bool rests_on_name(const Attribution& node) {
  return node.known() && (node.source == evidence::Source::dynamo_metadata ||
                          node.source == evidence::Source::onnx_scope_parsing ||
                          node.source == evidence::Source::value_names);
}

// Whether the node computes what a node of the ancestor does, by its weights or inputs.
bool is_proven(const evidence::AncestorAnswer& answer) {
  return answer.no_answer == evidence::NoAnswer::none && answer.module_count > 0 &&
         (answer.strength.match == evidence::NodeMatch::same_node ||
          answer.strength.match == evidence::NodeMatch::same_inputs ||
          answer.strength.match == evidence::NodeMatch::same_weight);
}

// How the names in a derived model compare with the ancestor, on nodes that were matched by weights or
// inputs.
struct NameAgreement {
  bool same_modules = true;
  /// A pruned model numbers its layers anew: its names are those of other layers of the ancestor.
  bool same_layers = true;
};

NameAgreement compare_names(const evidence::AncestorAnswers& ancestor, const modules::ModuleTree& tree,
                            const Resolution& own, const Resolution& resolution) {
  std::size_t compared = 0, same_module = 0, same_layer = 0;
  for (onnx::NodeId id = 0; id < resolution.nodes.size(); ++id) {
    const Attribution &mine = own.nodes[id], &theirs = resolution.nodes[id];
    if (!is_proven(ancestor.answers[id]) || !rests_on_name(mine) || !theirs.known()) continue;
    ++compared;
    same_module += mine.module == theirs.module;
    same_layer += !modules::are_in_different_layers(tree[mine.module].path, tree[theirs.module].path);
  }
  const double least = min_own_name_agreement * static_cast<double>(compared);
  return {static_cast<double>(same_module) >= least, static_cast<double>(same_layer) >= least};
}

// Parts that tools append to the name of a node that they replace: "fc/MatMul_quant".
constexpr int max_appended_parts = 4;

bool is_inherited(std::string_view name, const std::unordered_set<std::string_view>& inherited) {
  for (int appended = 0; appended <= max_appended_parts; ++appended) {
    if (inherited.contains(name)) return true;
    const std::size_t last = name.rfind('_');
    if (last == std::string_view::npos || last == 0) return false;
    name = name.substr(0, last);
  }
  return false;
}

}  // namespace

bool has_independent_names(const onnx::Model& ancestor, const onnx::Model& derived) {
  std::unordered_set<std::string_view> inherited;
  for (onnx::NodeId id = 0; id < ancestor.node_count(); ++id) inherited.insert(ancestor.node(id).name());
  std::size_t named = 0, shared = 0;
  for (onnx::NodeId id = 0; id < derived.node_count(); ++id) {
    const std::string_view name = derived.node(id).name();
    if (name.empty()) continue;
    ++named;
    shared += is_inherited(name, inherited);
  }
  // Exporters name every node.
  return 2 * named > derived.node_count() &&
         static_cast<double>(shared) <= max_inherited_names * static_cast<double>(named);
}

void apply_ancestor_answers(const evidence::AncestorAnswers& ancestor, Resolution& resolution) {
  for (onnx::NodeId id = 0; id < resolution.nodes.size(); ++id) {
    Attribution& node = resolution.nodes[id];
    const evidence::AncestorAnswer& answer = ancestor.answers[id];
    node.weight_owner = answer.weight_owner;
    if (node.source == evidence::Source::transferred && answer.module_count > 1) {
      const auto parts = ancestor.parts_of(id);
      // A node that modules share has no parts.
      if (std::any_of(parts.begin(), parts.end(),
                      [](evidence::Part part) { return part != evidence::Part::other; }))
        resolution.parts.insert_or_assign(id, std::vector(parts.begin(), parts.end()));
    }
    if (node.known())
      node.confidence = std::min(node.confidence, answer.max_confidence);
    else if (answer.no_answer != evidence::NoAnswer::none)
      node.reason = reason_of(answer.no_answer);
  }
}

bool leaves_open(const evidence::AncestorAnswers& ancestor, const Resolution& resolution) {
  for (onnx::NodeId id = 0; id < resolution.nodes.size(); ++id)
    if (is_open(ancestor.answers[id], resolution.nodes[id])) return true;
  return false;
}

namespace {

void copy_answer(const Resolution& own, onnx::NodeId id, Resolution& resolution) {
  std::vector<ModuleId> modules = own.module_sets[own.nodes[id].module_set];
  resolution.nodes[id] = own.nodes[id];
  resolution.nodes[id].module_set = 0;
  set_modules(resolution, id, std::move(modules));
  resolution.parts.erase(id);
  if (const auto parts = own.parts.find(id); parts != own.parts.end()) resolution.parts.insert(*parts);
}

// Whether the answer may add a module: the file's own evidence chooses between the candidates of the
// ancestor.
bool is_candidate(const evidence::AncestorAnswers& ancestor, onnx::NodeId id, ModuleId module) {
  const auto candidates = ancestor.modules_of(id);
  return ancestor.answers[id].no_answer != evidence::NoAnswer::ambiguous ||
         std::find(candidates.begin(), candidates.end(), module) != candidates.end();
}

}  // namespace

void add_own_answers(const evidence::AncestorAnswers& ancestor, const modules::ModuleTree& tree,
                     const Resolution& own, bool weights_overrule, Resolution& resolution) {
  const NameAgreement agreement =
      weights_overrule ? NameAgreement() : compare_names(ancestor, tree, own, resolution);
  const bool names_overrule =
      ancestor.has_independent_names && agreement.same_layers && agreement.same_modules;
  for (onnx::NodeId id = 0; id < resolution.nodes.size(); ++id) {
    const Attribution& mine = own.nodes[id];
    const bool is_overruled = mine.module != resolution.nodes[id].module &&
                              (weights_overrule || (names_overrule && rests_on_name(mine)));
    if (!mine.known() || !(is_overruled || is_open(ancestor.answers[id], resolution.nodes[id]))) continue;
    if (!agreement.same_layers && rests_on_name(mine)) continue;
    if (is_overruled || is_candidate(ancestor, id, mine.module)) copy_answer(own, id, resolution);
  }
}

}  // namespace thence::resolve
