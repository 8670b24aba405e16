// Thresholds and limits of semantics.
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace thence::semantics {

/// Confidence from which an answer's level is high, or medium. The schema of maps documents both.
THENCE_THRESHOLD float high_confidence = base::tuned("semantics_high_confidence", 0.95f);
THENCE_THRESHOLD float medium_confidence = base::tuned("semantics_medium_confidence", 0.7f);

// Safety limits: small malicious files can make many nodes that each serve many modules. The output stays in
// proportion to the model.

/// Bytes of module paths listed for one node.
inline constexpr std::size_t most_listed_text = 4096;
/// The same, once the lists of all nodes would exceed `most_text` bytes.
inline constexpr std::size_t least_listed_text = 64;
inline constexpr std::size_t most_text = std::size_t{32} << 20;
/// Modules listed for one initializer.
inline constexpr std::size_t most_readers = 64;
/// Bytes of class names in the note about filtered classes.
inline constexpr std::size_t most_class_text = 400;
/// Words of one name.
inline constexpr std::size_t most_words = 32;
/// Bytes of one tag; longer ones are left empty.
inline constexpr std::size_t longest_tag = 4096;

// Sizes of caches, which start over once they are full.

/// Modules whose facts are kept.
inline constexpr std::size_t most_kept_facts = 512;
/// Pairs of a name and a class whose words are kept.
inline constexpr std::size_t most_readings = std::size_t{1} << 12;

}  // namespace thence::semantics
