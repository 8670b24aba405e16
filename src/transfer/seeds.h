// Seeds: what the names in two models suggest, before anything is compared.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "dataflow/value_graph.h"
#include "transfer/value_names.h"

namespace thence::transfer {

using dataflow::CanonicalValue;
using dataflow::ValueGraph;

/// Pairs of values, the descendant's first.
struct Seeds {
  std::vector<std::pair<CanonicalValue, CanonicalValue>> inputs;  // graph inputs of the same name
  std::vector<std::pair<CanonicalValue, CanonicalValue>> hints;   // not proven
  /// Values of the same name whose producers have the same operator and weights. Proven once some operand of
  /// the producers agrees, too.
  std::unordered_map<CanonicalValue, CanonicalValue> same_name;
};
/// Whether names lead to other places: many operations have the name of one that reads other weights of the
/// ancestor than they do. A pruned model numbers its layers anew, and a second export its nodes.
bool are_names_misleading(const ValueGraph& ancestor, const ValueGraph& descendant, const ValueNames& names);

Seeds seeds_of(const ValueGraph& ancestor, const ValueGraph& descendant, const ValueNames& names);

}  // namespace thence::transfer
