#include "transfer/transfer.h"

#include <algorithm>
#include <unordered_set>

#include "dataflow/noops.h"
#include "dataflow/operator_traits.h"
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

bool is_made_by(const onnx::Model& model, onnx::ValueId value, onnx::Producer::Kind kind) {
  return value != none && model.producer(value).kind == kind;
}

// How many nodes compute shapes and constants: without those that hold a constant or reshape a stored one,
// which other files have as initializers, and without what a quantiser computes for its scales.
std::size_t count_computed_auxiliary(const ValueGraph& graph, const std::vector<Origin>& origins = {}) {
  const onnx::Model& model = graph.model();
  std::vector<bool> is_of_quantiser(model.node_count(), false);
  std::size_t count = 0;
  for (const onnx::NodeId id : graph.order()) {
    const auto inputs = model.node(id).inputs();
    is_of_quantiser[id] =
        (!origins.empty() && origins[id].kind == OriginKind::inserted) ||
        dataflow::has_trait(model.node(id), dataflow::Trait::quantiser) ||
        (graph.is_auxiliary(id) && std::any_of(inputs.begin(), inputs.end(), [&](onnx::ValueId value) {
           return is_made_by(model, value, onnx::Producer::Kind::node) &&
                  is_of_quantiser[model.producer(value).index];
         }));
    const bool reads_stored = std::all_of(inputs.begin(), inputs.end(), [&](onnx::ValueId value) {
      return is_made_by(model, value, onnx::Producer::Kind::initializer);
    });
    count += graph.is_auxiliary(id) && !is_of_quantiser[id] && !reads_stored ? 1 : 0;
  }
  return count;
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
  matches.has_unfolded = count_computed_auxiliary(ours, matches.origins) > count_computed_auxiliary(theirs);
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
