#include "weights/consumers.h"

#include <algorithm>

#include "hierarchy/initializer_behind.h"
#include "weights/limits.h"

namespace thence::weights {

Consumers::Consumers(const onnx::Model& model)
    : by_initializer_(model.initializers().size(), [&](const auto& use) {
        if (model.initializers().empty()) return;
        for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
          const onnx::Node node = model.node(id);
          // The node after it is the consumer.
          if (hierarchy::prepares_initializer(model, node)) continue;
          const std::size_t count = std::min(node.inputs().size(), max_inputs);
          for (std::uint32_t input = 0; input < count; ++input)
            if (const std::uint32_t found = hierarchy::initializer_behind(model, node.inputs()[input]);
                found != onnx::none)
              use(found, Consumer{id, input});
        }
      }) {}

}  // namespace thence::weights
