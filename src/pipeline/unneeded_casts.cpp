#include "pipeline/unneeded_casts.h"

#include <optional>

#include "dataflow/uses.h"

namespace thence::pipeline {
namespace {

using evidence::AncestorAnswer;
using evidence::AncestorAnswers;
using evidence::NoAnswer;
using onnx::DataType;
using onnx::NodeId;

DataType target_of(const onnx::Node& node) {
  if (node.op_type() != "Cast") return DataType::undefined;
  const auto to = node.attribute("to");
  return to ? static_cast<DataType>(to->i) : DataType::undefined;
}

// The type of all floats in the model; empty if it has several, so that casts between them are needed.
std::optional<DataType> only_float_type(const onnx::Model& model) {
  std::optional<DataType> found;
  const auto is_another = [&](DataType type) {
    if (!onnx::is_float(type)) return false;
    if (!found) found = type;
    return *found != type;
  };
  for (const onnx::Initializer& each : model.initializers())
    if (is_another(model.tensor(each).data_type)) return std::nullopt;
  for (NodeId id = 0; id < model.node_count(); ++id)
    if (is_another(target_of(model.node(id)))) return std::nullopt;
  return found;
}

// The module of all consumers; none if they have several, or a consumer has no answer.
modules::ModuleId module_of_consumers(const onnx::Model& model, const dataflow::Uses& uses,
                                      const AncestorAnswers& answers, NodeId id) {
  modules::ModuleId found = modules::no_module;
  const auto outputs = model.node(id).outputs();
  if (outputs.empty() || outputs[0] == onnx::none) return found;
  for (const NodeId consumer : uses.of(outputs[0])) {
    const auto modules = answers.modules_of(consumer);
    if (answers.answers[consumer].no_answer != NoAnswer::none || modules.empty()) return modules::no_module;
    if (found != modules::no_module && modules.front() != found) return modules::no_module;
    found = modules.front();
  }
  return found;
}

}  // namespace

void settle_unneeded_casts(const onnx::Model& derived, const std::vector<transfer::Origin>& origins,
                           AncestorAnswers& answers) {
  std::vector<NodeId> casts;
  for (NodeId id = 0; id < origins.size(); ++id)
    if (origins[id].kind == transfer::OriginKind::inserted && onnx::is_float(target_of(derived.node(id))))
      casts.push_back(id);
  // A cast from an integer computes something: the ancestor has it, too, so that it is no inserted one.
  if (casts.empty() || !only_float_type(derived)) return;
  const dataflow::Uses uses(derived);
  // Consumers come after the node, so that their answers are already settled.
  for (auto id = casts.rbegin(); id != casts.rend(); ++id) {
    const modules::ModuleId module = module_of_consumers(derived, uses, answers, *id);
    AncestorAnswer& answer = answers.answers[*id];
    if (module == modules::no_module || answer.module_count == 0) continue;
    answer.strength.match = evidence::NodeMatch::feeds_matched;
    answer.first_module = static_cast<std::uint32_t>(answers.modules.size());
    answer.module_count = 1;
    answers.modules.push_back(module);
    answers.parts.push_back(evidence::Part::other);
  }
}

}  // namespace thence::pipeline
