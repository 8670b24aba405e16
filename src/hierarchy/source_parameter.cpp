// Exporters and quantisers insert nodes between a parameter and its consumer that only change its form: a
// transpose, a cast, a dequantisation. If two parameters are equal, one becomes a copy that has the path of
// the other.
#include "dataflow/operator_traits.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/initializer_behind.h"
#include "hierarchy/parameter_thresholds.h"

namespace thence::hierarchy {

namespace {

// Calls `visit` with each value on the way back to the initializer, which it returns.
template <class Visit>
std::uint32_t follow_to_initializer(const onnx::Model& model, onnx::ValueId value, const Visit& visit) {
  for (int step = 0; step <= most_form_changes && value != onnx::none; ++step) {
    const onnx::Producer producer = model.producer(value);
    if (producer.kind == onnx::Producer::Kind::initializer) return producer.index;
    if (producer.kind != onnx::Producer::Kind::node) break;
    const onnx::Node node = model.node(producer.index);
    if (!dataflow::has_trait(node, dataflow::Trait::prepares_weight) || node.inputs().empty()) break;
    visit(value);
    value = node.inputs()[0];
  }
  return onnx::none;
}

}  // namespace

std::uint32_t initializer_behind(const onnx::Model& model, onnx::ValueId value) {
  return follow_to_initializer(model, value, [](onnx::ValueId) {});
}

bool prepares_initializer(const onnx::Model& model, const onnx::Node& node) {
  return dataflow::has_trait(node, dataflow::Trait::prepares_weight) && !node.inputs().empty() &&
         initializer_behind(model, node.inputs()[0]) != onnx::none;
}

Hierarchy::SourceParameter Hierarchy::source_parameter(const onnx::Model& model, onnx::ValueId value) const {
  ParameterOwner copy;
  const std::uint32_t initializer = follow_to_initializer(model, value, [&](onnx::ValueId changed) {
    if (copy.module != no_module || copies_.empty()) return;
    if (const auto found = copies_.find(changed); found != copies_.end()) copy = found->second;
  });
  if (initializer == onnx::none) return {};
  return {initializer, copy.module != no_module ? copy : parameters_[initializer]};
}

}  // namespace thence::hierarchy
