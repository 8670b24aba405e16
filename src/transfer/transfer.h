// transfer: a map carried from a model to one that was made of it.
#pragma once

#include "base/result.h"
#include "resolve/lent.h"
#include "semantics/map.h"
#include "transfer/claims.h"

namespace thence::transfer {

/// How much of the descendant was found in the ancestor: of the nodes that compute something of their inputs,
/// and of the weights.
struct Share {
  std::size_t nodes = 0, matched = 0, weights = 0, known_weights = 0;

  /// What matches of two models that have nothing in common, any two share: models of one design are wired
  /// alike, and only their weights tell them apart.
  bool is_too_little() const { return few(matched, nodes, 1) || few(known_weights, weights, 4); }

 private:
  static bool few(std::size_t part, std::size_t all, std::size_t enough_to_tell) {
    constexpr double least = 0.1;
    return all >= enough_to_tell && static_cast<double>(part) < least * static_cast<double>(all);
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
