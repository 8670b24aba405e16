// transfer: matches the nodes of a model with those of the model that it was derived from.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "base/threshold.h"
#include "evidence/strength.h"
#include "evidence/verification.h"
#include "transfer/claims.h"
#include "transfer/origins.h"

namespace thence::transfer {

/// Two models have too little in common if less than this share of the nodes was matched, or of the weights
/// found. Models of one design are wired alike, and only their weights tell them apart.
THENCE_THRESHOLD double least_overlap = base::tuned("transfer_least_overlap", 0.1);
/// With fewer weights than this, their share says nothing.
THENCE_THRESHOLD int least_weights = base::tuned("transfer_least_weights", 4);

/// How much of the derived model is in the ancestor.
struct Overlap {
  std::size_t nodes = 0, matched = 0;  // without views, shapes and constants
  std::size_t weights = 0, known_weights = 0;

  bool is_insufficient() const {
    return is_small(matched, nodes, 1) || is_small(known_weights, weights, least_weights);
  }

 private:
  static bool is_small(std::size_t part, std::size_t all, std::size_t least) {
    return all >= least && static_cast<double>(part) < least_overlap * static_cast<double>(all);
  }
};

struct Matches {
  std::vector<Origin> origins;  // by node of the derived model
  std::vector<bool> refuted;    // nodes that lost their match, because the numbers differ
  Overlap overlap;
  std::optional<evidence::Verification> verification;  // if there is a verifier
};

/// A verifier takes back matches that the numbers refute; it is not called if the overlap is insufficient.
Result<Matches> match_models(const onnx::Model& ancestor, const onnx::Model& derived,
                             const Verifier& verifier = {});

/// How the node was matched, as evidence states it.
evidence::NodeMatch node_match(const Origin& origin);

}  // namespace thence::transfer
