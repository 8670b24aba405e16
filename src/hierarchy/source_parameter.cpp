// Exporters and quantisers insert nodes between a parameter and its consumer that only change its form: a
// transpose, a cast, a dequantisation. If two parameters are equal, one becomes a copy that has the path of
// the other.
#include "dataflow/operator_traits.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/parameter_thresholds.h"

namespace thence::hierarchy {

Hierarchy::SourceParameter Hierarchy::source_parameter(const onnx::Model& model, onnx::ValueId value) const {
  ParameterOwner copy;
  for (int step = 0; step <= most_form_changes && value != onnx::none; ++step) {
    const onnx::Producer producer = model.producer(value);
    if (producer.kind == onnx::Producer::Kind::initializer)
      return {producer.index, copy.module != no_module ? copy : parameters_[producer.index]};
    if (producer.kind != onnx::Producer::Kind::node) break;
    const onnx::Node node = model.node(producer.index);
    if (!dataflow::has_trait(node, dataflow::Trait::prepares_weight) || node.inputs().empty()) break;
    if (copy.module == no_module && !copies_.empty())
      if (const auto found = copies_.find(value); found != copies_.end()) copy = found->second;
    value = node.inputs()[0];
  }
  return {};
}

}  // namespace thence::hierarchy
