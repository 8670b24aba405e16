// Seeds: what the names in two models suggest, before anything is compared.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "transfer/net.h"
#include "transfer/value_names.h"

namespace thence::transfer {

/// Pairs of roots, the descendant's first.
struct Seeds {
  std::vector<std::pair<Root, Root>> inputs;  // of the graph, called the same
  std::vector<std::pair<Root, Root>> hints;   // to be proven
  /// Values whose names survived, and whose makers have the same operator and weights. Proven once something
  /// that these read agrees, too.
  std::unordered_map<Root, Root> named;
};
Seeds seeds_of(const Net& ancestor, const Net& descendant, const ValueNames& names);

}  // namespace thence::transfer
