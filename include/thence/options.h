// Options of a map.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace thence {

/// The evidence that a map may use; docs/strategies.md describes each.
enum class Strategy { automatic, enhanced_semantic, usage_based, htp, universal, fx_graph };

/// The modules that are reported.
enum class Granularity {
  hf,      // those that are not from torch.nn, and the exceptions
  nn,      // all
  custom,  // as the rules choose
};

struct Options {
  Strategy strategy = Strategy::automatic;
  std::string capture;  // the path of a capture file or of a saved program (.pt2); empty for none
  /// torch.nn classes that are reported as modules. Without a value: the norms and Embedding.
  std::optional<std::vector<std::string>> torch_nn_exceptions = {};
  /// The path of a rules file; empty for none.
  std::string rules = {};
  /// Without a value: custom if the rules select modules, otherwise all modules unchanged.
  std::optional<Granularity> granularity = {};
  bool ignore_tags = false;  // do not read tags that thence wrote
};

}  // namespace thence
