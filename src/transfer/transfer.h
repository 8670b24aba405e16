// transfer: a map carried from a model to one that was made of it.
#pragma once

#include "base/result.h"
#include "resolve/lent.h"
#include "semantics/map.h"

namespace thence::transfer {

/// How much of the descendant was found in the ancestor: of the nodes that compute something of their inputs.
struct Share {
  std::size_t nodes = 0, matched = 0;

  double part() const { return nodes == 0 ? 1 : static_cast<double>(matched) / static_cast<double>(nodes); }
  /// Below this two models have nothing in common: what did match, any two models share.
  static constexpr double least = 0.1;
};

/// What the ancestor lends to the descendant. The ancestor's map outlives what is made of it.
resolve::Lent lend(const semantics::Map& ancestor, const onnx::Model& descendant, Share& share);

/// The descendant's map. An error when the two have nothing in common.
Result<semantics::Map> carry_over(const semantics::Map& ancestor, const std::string& descendant,
                                  const semantics::MapOptions& options);

}  // namespace thence::transfer
