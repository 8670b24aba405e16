// Origins: the nodes of the ancestor that each node of the descendant comes from.
#pragma once

#include <cstdint>
#include <vector>

#include "transfer/value_matching.h"

namespace thence::transfer {

/// How a node of the descendant is related to its origins.
enum class OriginKind : std::uint8_t {
  unknown,
  ambiguous,         // it may come from any of them
  computes,          // a node of the ancestor wrote the value of its first output
  view,              // it is a view of a matched value, as a node of the ancestor is
  inserted,          // a rewrite inserted it: its origin is that of the value that it forwards
  feeds,             // a constant or shape that only matched nodes read: its origins are theirs
  feeds_indirectly,  // the same, through other constants and shapes
};

/// Whether the origins of a node are those of its consumers.
inline bool has_origins_of_consumers(OriginKind kind) {
  return kind == OriginKind::feeds || kind == OriginKind::feeds_indirectly;
}

struct Origin {
  OriginKind kind = OriginKind::unknown;
  Proof proof = Proof::not_proven;
  /// The primary first: the node that wrote the value of its first output.
  std::vector<onnx::NodeId> nodes;

  /// Whether it has origins, and they are certain.
  bool is_certain() const { return kind != OriginKind::unknown && kind != OriginKind::ambiguous; }
};

/// By node of the descendant.
std::vector<Origin> origins_of(const ValueGraph& ancestor, const ValueGraph& descendant,
                               const ValueMatching& matching);

}  // namespace thence::transfer
