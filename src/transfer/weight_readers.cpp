#include "transfer/weight_readers.h"

#include <algorithm>

#include "transfer/numbering.h"

namespace thence::transfer {

bool WeightReaders::find(std::uint64_t content, std::vector<StepId>& found) {
  if (!by_content_) {
    by_content_.emplace();
    for (StepId id = 0; id < net_.steps().size(); ++id)
      for (const Root root : net_.inputs(net_.steps()[id]))
        if (const Constant* const weight = net_.constant(root);
            weight != nullptr && weight->content != 0 && weight->elements >= Numbering::least_weight)
          by_content_->add(weight->content, id);
  }
  return by_content_->find(content, found);
}

bool read_all_weights(const Net& net, const std::vector<StepId>& parts, const Net& other, const Step& whole) {
  const auto reads = [&](StepId part, std::uint64_t content) {
    const auto inputs = net.inputs(net.steps()[part]);
    return std::any_of(inputs.begin(), inputs.end(), [&](Root root) {
      return net.constant(root) != nullptr && net.constant(root)->content == content;
    });
  };
  const auto inputs = other.inputs(whole);
  return std::all_of(inputs.begin(), inputs.end(), [&](Root root) {
    const Constant* const weight = other.constant(root);
    return weight == nullptr ||
           std::any_of(parts.begin(), parts.end(), [&](StepId part) { return reads(part, weight->content); });
  });
}

}  // namespace thence::transfer
