// transfer: matches the nodes of a model with those of the model that it was derived from.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "evidence/strength.h"
#include "evidence/verification.h"
#include "transfer/claims.h"
#include "transfer/origins.h"
#include "transfer/thresholds.h"

namespace thence::transfer {

/// How much of the derived model is in the ancestor.
struct Overlap {
  std::size_t nodes = 0, matched = 0;  // without views, shapes and constants
  std::size_t weights = 0, known_weights = 0;

  bool is_insufficient() const {
    return is_small(matched, nodes, 1) || is_small(known_weights, weights, min_counted_weights);
  }

 private:
  static bool is_small(std::size_t part, std::size_t all, std::size_t min_counted) {
    return all >= min_counted && static_cast<double>(part) < min_overlap * static_cast<double>(all);
  }
};

struct Matches {
  std::vector<Origin> origins;  // by node of the derived model
  std::vector<bool> refuted;    // nodes that lost their match, because the numbers differ
  Overlap overlap;
  /// The derived model computes more shapes and constants than the ancestor, in which they were folded: a
  /// second export, and no optimised file. What it adds may belong to modules of which the ancestor has no
  /// node.
  bool has_unfolded = false;
  std::optional<evidence::Verification> verification;  // if there is a verifier
};

/// A verifier takes back matches that the numbers refute; it is not called if the overlap is insufficient.
Result<Matches> match_models(const onnx::Model& ancestor, const onnx::Model& derived,
                             const Verifier& verifier = {});

/// How the node was matched, as evidence states it.
evidence::NodeMatch node_match(const Origin& origin);

}  // namespace thence::transfer
