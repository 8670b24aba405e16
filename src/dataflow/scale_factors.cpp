#include "dataflow/scale_factors.h"

#include <limits>

namespace thence::dataflow {

double product_factor(const ValueGraph& graph, onnx::NodeId id) {
  const onnx::Node node = graph.model().node(id);
  if (graph.has_trait(id, Trait::scaled_product))
    if (const auto alpha = node.attribute("alpha"); alpha && alpha->f != 1) return alpha->f;
  for (const onnx::ValueId value : node.inputs())
    if (const Constant* const weight = value == none ? nullptr : graph.constant(graph.canonical(value));
        weight != nullptr && weight->factor != 1)
      return weight->factor;
  return 1;
}

double view_factor(const ValueGraph& graph, onnx::NodeId view) {
  const onnx::Node node = graph.model().node(view);
  const auto inputs = node.inputs();
  for (std::size_t i = 0; i < inputs.size() && i < 2; ++i)
    if (const Constant* const number =
            inputs[i] == none ? nullptr : graph.constant(graph.canonical(inputs[i]));
        number != nullptr && number->scalar && *number->scalar != 0)
      return node.op_type() == "Div" ? 1 / *number->scalar : *number->scalar;
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace thence::dataflow
