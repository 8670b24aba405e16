#include "transfer/weight_uses.h"

#include <algorithm>

namespace thence::transfer {

bool WeightUses::find(std::uint64_t fingerprint, std::vector<OperationId>& found) {
  if (!by_fingerprint_) {
    by_fingerprint_.emplace();
    for (OperationId id = 0; id < graph_.operations().size(); ++id)
      for (const CanonicalValue input : graph_.inputs(graph_.operation(id)))
        if (const Constant* const weight = graph_.constant(input);
            weight != nullptr && weight->fingerprint != 0 && weight->elements >= min_identifying_elements)
          by_fingerprint_->add(weight->fingerprint, id);
  }
  return by_fingerprint_->find(fingerprint, found);
}

bool together_read_all_weights_of(const ValueGraph& graph, const std::vector<OperationId>& parts,
                                  const ValueGraph& other, const Operation& whole) {
  const auto reads = [&](OperationId part, std::uint64_t fingerprint) {
    const auto inputs = graph.inputs(graph.operation(part));
    return std::any_of(inputs.begin(), inputs.end(), [&](CanonicalValue input) {
      return graph.constant(input) != nullptr && graph.constant(input)->fingerprint == fingerprint;
    });
  };
  const auto inputs = other.inputs(whole);
  return std::all_of(inputs.begin(), inputs.end(), [&](CanonicalValue input) {
    const Constant* const weight = other.constant(input);
    return weight == nullptr || std::any_of(parts.begin(), parts.end(), [&](OperationId part) {
             return reads(part, weight->fingerprint);
           });
  });
}

}  // namespace thence::transfer
