// transfer: a map carried from a model to one that was made of it.
#pragma once

#include "base/result.h"
#include "resolve/lent.h"
#include "semantics/map.h"
#include "transfer/claims.h"
#include "transfer/thresholds.h"

namespace thence::transfer {

/// How much of the descendant was found in the ancestor: nodes that compute with data, and weights.
struct Share {
  std::size_t nodes = 0, matched = 0, weights = 0, known_weights = 0;

  /// Whether two models have nothing in common but what any two models share.
  bool insufficient_overlap() const {
    return is_small(matched, nodes, 1) || is_small(known_weights, weights, min_counted_weights);
  }

 private:
  static bool is_small(std::size_t part, std::size_t all, std::size_t min_counted) {
    return all >= min_counted && static_cast<double>(part) < min_overlap * static_cast<double>(all);
  }
};

/// What the ancestor lends to the descendant. The ancestor's map outlives what is made of it.
/// With a verifier: what numbers refute is not lent.
Result<resolve::Lent> lend(const semantics::Map& ancestor, const onnx::Model& descendant, Share& share,
                           const Verifier& verifier = {});

/// The descendant's map. An error when the two have nothing in common.
Result<semantics::Map> carry_over(const semantics::Map& ancestor, const std::string& descendant,
                                  const semantics::MapOptions& options, const Verifier& verifier = {});

}  // namespace thence::transfer
