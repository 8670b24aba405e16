// Which steps read a weight, told by its content.
#pragma once

#include <optional>
#include <vector>

#include "transfer/net.h"
#include "transfer/step_index.h"

namespace thence::transfer {

class WeightReaders {
 public:
  explicit WeightReaders(const Net& net) : net_(net) {}
  /// False when there are more than anybody looks at. The index is made when it is first asked for.
  bool find(std::uint64_t content, std::vector<StepId>& found);

 private:
  const Net& net_;
  std::optional<StepIndex> by_content_;
};

/// Whether the parts read all weights that one step of another model does.
bool read_all_weights(const Net& net, const std::vector<StepId>& parts, const Net& other, const Step& whole);

}  // namespace thence::transfer
