// parameter: a node that reads `encoder.layer.0.dense.bias` works for `encoder.layer.0.dense`, most likely. It says
// less than a name: a parameter's use may be folded into a node of the module around.
#include <algorithm>
#include <array>

#include "evidence/source.h"

namespace thence::evidence {
namespace {

// Between a parameter and the node that uses it, exporters and quantisers put steps that only change its form.
constexpr int most_steps = 6;

bool only_changes_form(std::string_view op) {
  static constexpr std::array<std::string_view, 9> ops = {"Transpose", "Identity", "Cast", "Reshape", "Squeeze",
                                                          "Unsqueeze", "QuantizeLinear", "DequantizeLinear", "CastLike"};
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

const hierarchy::ParameterOwner* owner_behind(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                                              onnx::ValueId value) {
  for (int step = 0; step <= most_steps && value != onnx::none; ++step) {
    const onnx::Producer producer = model.producer(value);
    if (producer.kind == onnx::Producer::Kind::initializer) return &hierarchy.parameters()[producer.index];
    if (producer.kind != onnx::Producer::Kind::node) return nullptr;
    const onnx::Node node = model.node(producer.index);
    if (!only_changes_form(node.op_type()) || node.inputs().empty()) return nullptr;
    value = node.inputs()[0];
  }
  return nullptr;
}

}  // namespace

void collect_parameters(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  if (hierarchy.parameters().empty()) return;
  for (NodeId id = 0; id < model.node_count(); ++id) {
    ModuleId last = hierarchy::no_module;
    for (const onnx::ValueId input : model.node(id).inputs()) {
      const hierarchy::ParameterOwner* owner = owner_behind(model, hierarchy, input);
      if (owner == nullptr || owner->module == hierarchy::no_module || owner->module == last) continue;
      last = owner->module;
      sink.push({.node = id, .module = owner->module, .source = Source::parameter, .strength = Strength::reads,
                 .why = owner->parameter});
    }
  }
}

}  // namespace thence::evidence
