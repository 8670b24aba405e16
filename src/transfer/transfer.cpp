#include "transfer/transfer.h"

#include <algorithm>
#include <unordered_set>

#include "dataflow/noops.h"
#include "dataflow/sampled_fingerprint.h"
#include "dataflow/weight_matcher.h"

namespace thence::transfer {
namespace {

using evidence::NodeMatch;
using evidence::Verification;

void count_weights(const ValueGraph& theirs, const ValueGraph& ours, Overlap& overlap) {
  std::unordered_set<std::uint64_t> contents;
  const auto each_weight = [](const ValueGraph& graph, const auto& visit) {
    for (CanonicalValue value = 0; value < graph.canonical_count(); ++value)
      if (const Constant* const constant = graph.constant(value);
          constant != nullptr && constant->may_be_weight() && constant->fingerprint != 0 &&
          !constant->is_uniform())
        visit(constant->fingerprint);
  };
  each_weight(theirs, [&](std::uint64_t content) { contents.insert(content); });
  each_weight(ours, [&](std::uint64_t content) {
    ++overlap.weights;
    overlap.known_weights += contents.contains(content);
  });
}

void count_nodes(const ValueGraph& ours, const std::vector<Origin>& origins, Overlap& overlap) {
  for (onnx::NodeId id = 0; id < origins.size(); ++id) {
    if (ours.is_view(id) || ours.is_shape_or_constant(id)) continue;
    ++overlap.nodes;
    overlap.matched += origins[id].kind != OriginKind::unknown;
  }
}

// Removes the matches of values that numbers refute. Returns those values of the derived model.
std::unordered_set<CanonicalValue> unmatch_refuted(const std::vector<Claim>& claims,
                                                   const Verification& verification,
                                                   ValueMatching& matching) {
  std::unordered_set<CanonicalValue> values;
  for (const Verification::Refuted& refuted : verification.refuted) {
    const CanonicalValue value = claims[refuted.claim].value;
    matching.partners[value] = none;
    values.insert(value);
  }
  return values;
}

}  // namespace

NodeMatch node_match(const Origin& origin) {
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

namespace {

// Without nodes that hold a constant, which other files have as initializers.
bool is_computed_auxiliary(const ValueGraph& graph, onnx::NodeId id) {
  return graph.is_auxiliary(id) && !graph.model().node(id).inputs().empty();
}

std::size_t count_auxiliary(const ValueGraph& graph) {
  return static_cast<std::size_t>(
      std::count_if(graph.order().begin(), graph.order().end(),
                    [&](onnx::NodeId id) { return is_computed_auxiliary(graph, id); }));
}

// Without what a rewrite inserted: quantisers compute scales.
std::size_t count_exported_auxiliary(const ValueGraph& graph, const std::vector<Origin>& origins) {
  return static_cast<std::size_t>(
      std::count_if(graph.order().begin(), graph.order().end(), [&](onnx::NodeId id) {
        return is_computed_auxiliary(graph, id) && origins[id].kind != OriginKind::inserted;
      }));
}

}  // namespace

Result<Matches> match_models(const onnx::Model& ancestor, const onnx::Model& derived,
                             const Verifier& verifier) {
  Matches matches;
  dataflow::OperatorIds operators;
  const dataflow::SampledFingerprint samples(ancestor, derived);
  ValueGraph theirs(ancestor, operators, nullptr, &samples);
  dataflow::WeightMatcher weights(theirs.constants());
  ValueGraph ours(derived, operators, &weights, &samples);
  dataflow::find_noops(theirs, ours);
  dataflow::find_noops(ours, theirs);  // another exporter may write more of them
  count_weights(theirs, ours, matches.overlap);
  ValueMatching matching = match_values(theirs, ours);
  matches.origins = origins_of(theirs, ours, matching);
  matches.refuted.resize(matches.origins.size());
  count_nodes(ours, matches.origins, matches.overlap);
  matches.has_unfolded = count_exported_auxiliary(ours, matches.origins) > count_auxiliary(theirs);
  if (!verifier || matches.overlap.is_insufficient()) return matches;
  const std::vector<Claim> claims = claims_of(theirs, ours, matching);
  Result<Verification> verification = verifier(claims, ancestor, derived);
  if (!verification) return verification.error();
  const std::unordered_set<CanonicalValue> refuted = unmatch_refuted(claims, *verification, matching);
  matches.verification = *std::move(verification);
  if (refuted.empty()) return matches;
  matches.origins = origins_of(theirs, ours, matching);
  for (onnx::NodeId id = 0; id < matches.origins.size(); ++id) {
    const auto outputs = derived.node(id).outputs();
    matches.refuted[id] =
        !outputs.empty() && outputs[0] != none && refuted.contains(ours.canonical(outputs[0]));
  }
  return matches;
}

}  // namespace thence::transfer
