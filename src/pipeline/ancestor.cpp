#include "pipeline/ancestor.h"

#include <algorithm>

#include "pipeline/enclosed_answers.h"
#include "pipeline/removed_layers.h"
#include "pipeline/repeated_copies.h"
#include "pipeline/shared_answers.h"
#include "pipeline/unneeded_casts.h"
#include "resolve/thresholds.h"

namespace thence::pipeline {
namespace {

using evidence::AncestorAnswer;
using evidence::AncestorAnswers;
using evidence::NoAnswer;
using evidence::Part;
using modules::ModuleId;
using modules::no_module;
using semantics::Map;
using transfer::Origin;
using transfer::OriginKind;

class AncestorReader {
 public:
  AncestorReader(const Map& ancestor, const RemovedLayers& removed, bool has_unfolded)
      : ancestor_(ancestor),
        removed_(removed),
        certainty_(has_unfolded ? evidence::Certainty::low : evidence::Certainty::full) {
    found_.model = &ancestor.model();
    found_.tree = &ancestor.own_tree();
  }

  void add(const Origin& origin, bool is_refuted) {
    AncestorAnswer answer;
    answer.strength.match = transfer::node_match(origin);
    answer.strength.certainty = certainty_;
    if (origin.kind == OriginKind::unknown) {
      answer.no_answer = is_refuted ? NoAnswer::refuted : NoAnswer::not_matched;
      found_.answers.push_back(answer);
      return;
    }
    answer.first_node = static_cast<std::uint32_t>(found_.nodes.size());
    answer.node_count = static_cast<std::uint32_t>(origin.nodes.size());
    found_.nodes.insert(found_.nodes.end(), origin.nodes.begin(), origin.nodes.end());
    answer.first_module = static_cast<std::uint32_t>(found_.modules.size());
    if (origin.kind == OriginKind::ambiguous || has_origins_of_consumers(origin.kind))
      answer_if_unanimous(origin, answer);
    else
      answer_by_primary(origin, answer);
    answer.module_count = static_cast<std::uint32_t>(found_.modules.size()) - answer.first_module;
    found_.answers.push_back(answer);
  }

  AncestorAnswers take() { return std::move(found_); }

 private:
  void add_module(const AncestorAnswer& answer, ModuleId module, Part part = Part::other) {
    const auto first = found_.modules.begin() + answer.first_module;
    const auto same = std::find(first, found_.modules.end(), module);
    if (same != found_.modules.end()) {
      Part& known = found_.parts[static_cast<std::size_t>(same - found_.modules.begin())];
      known = std::max(known, part);
    } else if (static_cast<std::size_t>(found_.modules.end() - first) < resolve::max_listed_modules) {
      found_.modules.push_back(module);
      found_.parts.push_back(part);
    }
  }

  // What the primary module of a node of the ancestor does in it. That node may be fused itself.
  Part part_of(onnx::NodeId node) const {
    if (const auto* const parts = ancestor_.own_parts_of(node); parts != nullptr) return parts->front();
    return evidence::part_of_operator(ancestor_.model().node(node).domain(),
                                      ancestor_.model().node(node).op_type());
  }
  void add_members(const AncestorAnswer& answer, onnx::NodeId node) {
    const std::vector<ModuleId> modules = ancestor_.own_modules_of(node);
    const auto* const parts = ancestor_.own_parts_of(node);
    for (std::size_t i = 0; i < modules.size(); ++i)
      add_module(answer, modules[i], parts != nullptr && i < parts->size() ? (*parts)[i] : Part::other);
  }

  // The node computes all of the origin's nodes. The first of them produces its first output.
  void answer_by_primary(const Origin& origin, AncestorAnswer& answer) {
    const resolve::Attribution& primary = ancestor_.own_answer(origin.nodes.front());
    if (!primary.known()) {
      answer.no_answer = NoAnswer::unknown_in_ancestor;
      answer.weight_owner = primary.weight_owner;
      answer.strength.has_rivals = true;
      for (const ModuleId module : ancestor_.own_modules_of(origin.nodes.front())) add_module(answer, module);
      return;
    }
    if (removed_.has(primary.module)) return answer_by_remaining(origin.nodes.front(), answer);
    const bool is_one_of_several =
        origin.kind == OriginKind::ambiguous || has_origins_of_consumers(origin.kind);
    answer.call = is_one_of_several ? common_call(origin) : primary.call();
    answer.max_confidence = primary.confidence;
    const bool is_node_of_ancestor = origin.kind == OriginKind::computes || origin.kind == OriginKind::view;
    for (const onnx::NodeId node : origin.nodes) {
      const resolve::Attribution& each = ancestor_.own_answer(node);
      if (each.known()) add_module(answer, each.module, part_of(node));
      if (is_node_of_ancestor && answer.weight_owner == no_module) answer.weight_owner = each.weight_owner;
    }
    if (primary.module_set != 0) add_members(answer, origin.nodes.front());
  }

  // Of nodes of the same module.
  modules::CallNumber common_call(const Origin& origin) const {
    const modules::CallNumber first = ancestor_.own_answer(origin.nodes.front()).call();
    const bool is_same = std::all_of(origin.nodes.begin(), origin.nodes.end(), [&](onnx::NodeId node) {
      return ancestor_.own_answer(node).call() == first;
    });
    return is_same ? first : std::nullopt;
  }

  // The node was shared by several layers, and its own was removed: the first remaining one is now its layer.
  void answer_by_remaining(onnx::NodeId node, AncestorAnswer& answer) {
    for (const ModuleId module : ancestor_.own_modules_of(node))
      if (!removed_.has(module)) add_module(answer, module);
    answer.max_confidence = ancestor_.own_answer(node).confidence;
    if (found_.modules.size() == answer.first_module) answer.no_answer = NoAnswer::not_matched;
  }

  // The node computes one of the origin's nodes, or feeds them. It has a module if they are all of the same.
  void answer_if_unanimous(const Origin& origin, AncestorAnswer& answer) {
    const ModuleId first = ancestor_.own_answer(origin.nodes.front()).module;
    const bool unanimous = std::all_of(origin.nodes.begin(), origin.nodes.end(), [&](onnx::NodeId node) {
      return ancestor_.own_answer(node).module == first;
    });
    if (unanimous) return answer_by_primary(origin, answer);
    answer.strength.has_rivals = true;
    answer.no_answer = has_origins_of_consumers(origin.kind) ? NoAnswer::feeds_several : NoAnswer::ambiguous;
    for (const onnx::NodeId node : origin.nodes)
      if (ancestor_.own_answer(node).known()) add_module(answer, ancestor_.own_answer(node).module);
    // One candidate beside unknown ones is no answer.
    if (found_.modules.size() == answer.first_module + 1) {
      found_.modules.pop_back();
      found_.parts.pop_back();
    }
  }

  const Map& ancestor_;
  const RemovedLayers& removed_;
  const evidence::Certainty certainty_;
  AncestorAnswers found_;
};

}  // namespace

AncestorAnswers ancestor_answers(const Map& ancestor, const onnx::Model& derived, transfer::Matches matches) {
  const LayerIds layers(ancestor.own_tree());
  const RemovedLayers removed(ancestor, layers, matches.origins);
  if (!removed.is_empty()) removed.follow_consumers(derived, matches.origins);
  AncestorReader reader(ancestor, removed, matches.has_unfolded);
  for (onnx::NodeId id = 0; id < matches.origins.size(); ++id)
    reader.add(matches.origins[id], matches.refuted[id]);
  AncestorAnswers found = reader.take();
  settle_shared_answers(layers, derived, matches.origins, found);
  if (matches.has_unfolded) settle_repeated_copies(derived, matches.origins, found);
  settle_unneeded_casts(derived, matches.origins, found);
  answer_enclosed_nodes(derived, found);
  if (matches.verification) {
    if (ancestor.ancestor() != nullptr) found.verifications = ancestor.ancestor()->verifications;
    found.verifications.push_back(*std::move(matches.verification));
  }
  return found;
}

}  // namespace thence::pipeline
