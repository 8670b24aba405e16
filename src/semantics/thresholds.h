// Thresholds and limits of semantics.
// Values were set by hand. There is no record of how one was chosen unless its comment gives the reason; the
// effect of half and of double each: make thresholds FLAGS="--room semantics".
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace thence::semantics {

/// Confidence (a probability) from which an answer's level is high, or medium: at most one answer in twenty
/// is wrong, or three in ten. schema/map.schema.json documents both, so they are a contract.
THENCE_THRESHOLD float high_confidence = base::tuned("semantics_high_confidence", 0.95f);
THENCE_THRESHOLD float medium_confidence = base::tuned("semantics_medium_confidence", 0.7f);

// Safety limits: small malicious files can make many nodes that each belong to many modules. The output stays
// in proportion to the model.

/// Bytes of module paths listed for one node.
// errors.md: modules listed for one node
inline constexpr std::size_t max_listed_bytes = 4096;
/// The same, once the lists of all nodes would exceed `max_total_listed_bytes` bytes.
inline constexpr std::size_t max_listed_bytes_if_long = 64;
inline constexpr std::size_t max_total_listed_bytes = std::size_t{32} << 20;
/// Modules listed for one initializer.
inline constexpr std::size_t max_consumer_modules = 64;
/// Bytes of class names in the note about filtered classes.
inline constexpr std::size_t max_class_bytes = 400;
/// Nodes between a constant and the product that reads it, and between a product and its parts.
inline constexpr int max_weight_chain = 8;
/// Words of one name.
inline constexpr std::size_t max_words = 32;
/// Bytes of one tag; longer ones are left empty.
// errors.md: a tag
inline constexpr std::size_t max_tag_bytes = 4096;

// Sizes of caches, which start over once they are full.

/// Modules whose facts are kept.
inline constexpr std::size_t max_cached_facts = 512;
/// Pairs of a name and a class whose words are kept.
inline constexpr std::size_t max_cached_matches = std::size_t{1} << 12;

}  // namespace thence::semantics
