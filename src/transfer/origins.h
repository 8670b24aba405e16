// Origins: which nodes of the ancestor each node of the descendant computes.
#pragma once

#include <cstdint>
#include <vector>

#include "transfer/net.h"
#include "transfer/pairing.h"

namespace thence::transfer {

/// What a node of the descendant is to the ancestor.
enum class Kind : std::uint8_t {
  unknown,
  ambiguous,  // the ancestor has several equal expressions, and nothing tells which of them
  computes,   // what its first output holds, a node of the ancestor made
  view,       // it gives a value another form, as a node of the ancestor does
  carries,    // a rewrite put it in: it belongs to the value that it carries
  serves,     // constants and sizes that only its readers need
  helps,      // what only those need that serve
};

/// Whether it belongs to its readers, whatever it is itself.
inline bool is_for_readers(Kind kind) { return kind == Kind::serves || kind == Kind::helps; }

struct Origin {
  Kind kind = Kind::unknown;
  Proof proof = Proof::not_proven;
  /// The primary first: the one that made the value leaving by its first output. For `serves` and `helps`:
  /// those of its readers.
  std::vector<onnx::NodeId> nodes;
};

/// By node of the descendant.
std::vector<Origin> origins_of(const Net& ancestor, const Net& descendant, const Pairing& pairing);

}  // namespace thence::transfer
