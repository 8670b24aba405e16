#include "transfer/transfer.h"

#include <algorithm>
#include <unordered_set>

#include "base/format.h"
#include "base/text.h"
#include "dataflow/noops.h"
#include "onnx/errors.h"
#include "transfer/origins.h"
#include "transfer/value_matching.h"

namespace thence::transfer {
namespace {

using evidence::NodeMatch;
using modules::ModuleId;
using modules::no_module;
using resolve::Lent;
using resolve::LentAnswer;
using resolve::Reason;
using resolve::Verification;
using semantics::Map;

NodeMatch match_of(const Origin& origin) {
  switch (origin.kind) {
    case OriginKind::view: return NodeMatch::same_view;
    case OriginKind::inserted: return NodeMatch::inserted;
    case OriginKind::feeds: return NodeMatch::feeds_matched;
    case OriginKind::feeds_indirectly: return NodeMatch::feeds_matched_indirectly;
    default: break;
  }
  switch (origin.proof) {
    case Proof::name: return NodeMatch::same_node;
    case Proof::weight: return NodeMatch::same_weight;
    case Proof::consumers: return NodeMatch::same_consumers;
    case Proof::region: return NodeMatch::same_region;
    case Proof::unique_remaining:
    case Proof::neighbours: return NodeMatch::unique_remaining;
    default: return NodeMatch::same_inputs;
  }
}

// Puts what nodes of the ancestor were answered into what its descendants are lent.
class Lending {
 public:
  explicit Lending(const Map& ancestor) : ancestor_(ancestor) {
    lent_.ancestor = &ancestor.model();
    lent_.tree = &ancestor.own_tree();
  }

  void add(const Origin& origin, bool refuted) {
    LentAnswer answer;
    answer.strength.match = match_of(origin);
    if (origin.kind == OriginKind::unknown) {
      answer.reason = refuted ? Reason::refuted : Reason::not_matched;
      lent_.answers.push_back(answer);
      return;
    }
    answer.first_node = static_cast<std::uint32_t>(lent_.nodes.size());
    answer.node_count = static_cast<std::uint32_t>(origin.nodes.size());
    lent_.nodes.insert(lent_.nodes.end(), origin.nodes.begin(), origin.nodes.end());
    answer.first_module = static_cast<std::uint32_t>(lent_.modules.size());
    if (origin.kind == OriginKind::ambiguous || is_of_consumers(origin.kind)) {
      one_of(origin, answer);
    } else {
      all_of(origin, answer);
    }
    answer.module_count = static_cast<std::uint32_t>(lent_.modules.size()) - answer.first_module;
    lent_.answers.push_back(answer);
  }

  // What was verified on the way here, and now.
  void add(Verification verification) {
    if (ancestor_.lent() != nullptr) lent_.verifications = ancestor_.lent()->verifications;
    lent_.verifications.push_back(std::move(verification));
  }

  Lent finish() { return std::move(lent_); }

 private:
  static constexpr std::size_t most_modules = 64;

  void list(const LentAnswer& answer, ModuleId module) {
    const auto first = lent_.modules.begin() + answer.first_module;
    if (static_cast<std::size_t>(lent_.modules.end() - first) < most_modules &&
        std::find(first, lent_.modules.end(), module) == lent_.modules.end())
      lent_.modules.push_back(module);
  }

  // It computes all of the nodes, and what leaves it is the first one's.
  void all_of(const Origin& origin, LentAnswer& answer) {
    const resolve::Attribution& primary = ancestor_.own_answer(origin.nodes.front());
    if (!primary.known()) {
      answer.reason = Reason::unknown_in_ancestor;
      return;
    }
    answer.call = primary.call;
    answer.at_most = primary.confidence;
    for (const onnx::NodeId node : origin.nodes) {
      const resolve::Attribution& each = ancestor_.own_answer(node);
      if (each.known()) list(answer, each.module);
      if (origin.kind == OriginKind::computes && answer.weight_owner == no_module)
        answer.weight_owner = each.weight_owner;
    }
    if (primary.set != 0)
      for (const ModuleId module : ancestor_.own_modules_of(origin.nodes.front())) list(answer, module);
  }

  // It computes, or serves, any of the nodes: known where they are of one module.
  void one_of(const Origin& origin, LentAnswer& answer) {
    const ModuleId first = ancestor_.own_answer(origin.nodes.front()).module;
    const bool agreed = std::all_of(origin.nodes.begin(), origin.nodes.end(), [&](onnx::NodeId node) {
      return ancestor_.own_answer(node).module == first;
    });
    if (agreed) return all_of(origin, answer);
    answer.strength.has_rivals = true;
    answer.reason = is_of_consumers(origin.kind) ? Reason::serves_several : Reason::ambiguous;
    for (const onnx::NodeId node : origin.nodes)
      if (ancestor_.own_answer(node).known()) list(answer, ancestor_.own_answer(node).module);
    // One candidate and others that are unknown are no answer.
    if (lent_.modules.size() == answer.first_module + 1) lent_.modules.pop_back();
  }

  const Map& ancestor_;
  Lent lent_;
};

void count_weights(const ValueGraph& theirs, const ValueGraph& ours, Share& share) {
  std::unordered_set<std::uint64_t> contents;
  const auto each_weight = [](const ValueGraph& graph, const auto& see) {
    for (CanonicalValue value = 0; value < graph.canonical_count(); ++value)
      if (const Constant* const constant = graph.constant(value);
          constant != nullptr && constant->may_be_weight() && constant->fingerprint != 0)
        see(constant->fingerprint);
  };
  each_weight(theirs, [&](std::uint64_t content) { contents.insert(content); });
  each_weight(ours, [&](std::uint64_t content) {
    ++share.weights;
    share.known_weights += contents.contains(content);
  });
}

// Takes back the pairs that numbers refute. Returns the descendant's values among them.
std::unordered_set<CanonicalValue> take_back(const std::vector<Claim>& claims,
                                             const Verification& verification, ValueMatching& matching) {
  std::unordered_set<CanonicalValue> values;
  for (const Verification::Refuted& refuted : verification.refuted) {
    const CanonicalValue value = claims[refuted.claim].value;
    matching.partners[value] = none;
    values.insert(value);
  }
  return values;
}

}  // namespace

Result<Lent> lend(const Map& ancestor, const onnx::Model& descendant, Share& share,
                  const Verifier& verifier) {
  dataflow::OperatorIds operators;
  const dataflow::SampledFingerprint samples(ancestor.model(), descendant);
  ValueGraph theirs(ancestor.model(), operators, nullptr, &samples);
  dataflow::WeightMatcher weights(theirs.constants());
  const ValueGraph ours(descendant, operators, &weights, &samples);
  dataflow::find_noops(theirs, ours);
  count_weights(theirs, ours, share);
  ValueMatching matching = match_values(theirs, ours);
  std::vector<Origin> origins = origins_of(theirs, ours, matching);
  for (onnx::NodeId id = 0; id < origins.size(); ++id) {
    if (ours.is_view(id) || ours.is_shape_or_constant(id)) continue;
    ++share.nodes;
    share.matched += origins[id].kind != OriginKind::unknown;
  }
  Lending lending(ancestor);
  std::unordered_set<CanonicalValue> refuted;
  if (verifier && !share.insufficient_overlap()) {
    const std::vector<Claim> claims = claims_of(theirs, ours, matching);
    Result<Verification> verification = verifier(claims, ancestor.model(), descendant);
    if (!verification) return verification.error();
    refuted = take_back(claims, *verification, matching);
    lending.add(*std::move(verification));
    if (!refuted.empty()) origins = origins_of(theirs, ours, matching);
  }
  for (onnx::NodeId id = 0; id < origins.size(); ++id) {
    const auto outputs = descendant.node(id).outputs();
    lending.add(origins[id],
                !outputs.empty() && outputs[0] != none && refuted.contains(ours.canonical(outputs[0])));
  }
  return lending.finish();
}

Result<Map> carry_over(const Map& ancestor, const std::string& descendant,
                       const semantics::MapOptions& options, const Verifier& verifier) {
  return Map::make(descendant, options, [&](const onnx::Model& model) -> Result<Lent> {
    for (const onnx::Model* const each : {&ancestor.model(), &model})
      if (std::optional<Error> error = onnx::invalid_external_data(*each)) return *std::move(error);
    Share share;
    Result<Lent> lent = lend(ancestor, model, share, verifier);
    if (!lent || !share.insufficient_overlap()) return lent;
    return Error{ErrorKind::difference, "D001",
                 base::format("{} and {} have nothing in common: {} of {} nodes compute alike, and {} of {} "
                              "weights are the same",
                              base::printable(ancestor.model().file()), base::printable(model.file()),
                              share.matched, share.nodes, share.known_weights, share.weights),
                 "give the model that the other one was made of"};
  });
}

}  // namespace thence::transfer
