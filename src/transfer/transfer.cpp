#include "transfer/transfer.h"

#include <unordered_set>

#include "transfer/likeness.h"
#include "transfer/net.h"
#include "transfer/pairing.h"

namespace thence::transfer {
namespace {

using evidence::NodeMatch;
using evidence::Verification;

void count_weights(const Net& theirs, const Net& ours, Overlap& overlap) {
  std::unordered_set<std::uint64_t> contents;
  const auto each_weight = [](const Net& net, const auto& see) {
    for (Root root = 0; root < net.root_count(); ++root)
      if (const Constant* const constant = net.constant(root);
          constant != nullptr && constant->may_be_weight() && constant->content != 0)
        see(constant->content);
  };
  each_weight(theirs, [&](std::uint64_t content) { contents.insert(content); });
  each_weight(ours, [&](std::uint64_t content) {
    ++overlap.weights;
    overlap.known_weights += contents.contains(content);
  });
}

void count_nodes(const Net& ours, const std::vector<Origin>& origins, Overlap& overlap) {
  for (onnx::NodeId id = 0; id < origins.size(); ++id) {
    if (ours.is_view(id) || ours.is_aside(id)) continue;
    ++overlap.nodes;
    overlap.matched += origins[id].kind != Kind::unknown;
  }
}

// Unpairs the values that numbers refute. Returns those of the derived model.
std::unordered_set<Root> unpair_refuted(const std::vector<Claim>& claims, const Verification& verification,
                                        Pairing& pairing) {
  std::unordered_set<Root> roots;
  for (const Verification::Refuted& refuted : verification.refuted) {
    const Root root = claims[refuted.claim].root;
    pairing.partners[root] = none;
    roots.insert(root);
  }
  return roots;
}

}  // namespace

NodeMatch node_match(const Origin& origin) {
  switch (origin.kind) {
    case Kind::view: return NodeMatch::same_view;
    case Kind::carries: return NodeMatch::inserted;
    case Kind::serves: return NodeMatch::feeds_matched;
    case Kind::helps: return NodeMatch::feeds_matched_indirectly;
    default: break;
  }
  switch (origin.proof) {
    case Proof::name: return NodeMatch::same_node;
    case Proof::weight: return NodeMatch::same_weight;
    case Proof::outputs: return NodeMatch::same_consumers;
    case Proof::region: return NodeMatch::same_region;
    case Proof::alone:
    case Proof::neighbours: return NodeMatch::unique_remaining;
    default: return NodeMatch::same_inputs;
  }
}

Result<Matches> match_models(const onnx::Model& ancestor, const onnx::Model& derived,
                             const Verifier& verifier) {
  Matches matches;
  Operators operators;
  const Glance glance(ancestor, derived);
  Net theirs(ancestor, operators, nullptr, &glance);
  Likeness weights(theirs.constants());
  const Net ours(derived, operators, &weights, &glance);
  theirs.find_idle(ours);
  count_weights(theirs, ours, matches.overlap);
  Pairing pairing = pair(theirs, ours);
  matches.origins = origins_of(theirs, ours, pairing);
  matches.refuted.resize(matches.origins.size());
  count_nodes(ours, matches.origins, matches.overlap);
  if (!verifier || matches.overlap.is_insufficient()) return matches;
  const std::vector<Claim> claims = claims_of(theirs, ours, pairing);
  Result<Verification> verification = verifier(claims, ancestor, derived);
  if (!verification) return verification.error();
  const std::unordered_set<Root> refuted = unpair_refuted(claims, *verification, pairing);
  matches.verification = *std::move(verification);
  if (refuted.empty()) return matches;
  matches.origins = origins_of(theirs, ours, pairing);
  for (onnx::NodeId id = 0; id < matches.origins.size(); ++id) {
    const auto outputs = derived.node(id).outputs();
    matches.refuted[id] = !outputs.empty() && outputs[0] != none && refuted.contains(ours.root(outputs[0]));
  }
  return matches;
}

}  // namespace thence::transfer
