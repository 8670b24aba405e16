#include "weights/sampled_parameters.h"

#include <algorithm>

#include "base/half_float.h"
#include "dataflow/weight_samples.h"
#include "hierarchy/initializer_behind.h"
#include "reference/stored_weights.h"
#include "weights/captured_parameters.h"
#include "weights/limits.h"
#include "weights/trace.h"

namespace thence::weights {
namespace {

using capture::CapturedParameter;
using dataflow::WeightElements;

// The exporter stores the weight of a linear layer with a row for each input, the live model one for each
// output.
CapturedParameter sampled_parameter(const std::string& path, std::vector<std::int64_t> dims,
                                    const WeightElements& elements, bool is_transposed) {
  CapturedParameter parameter;
  parameter.path = path;
  if (is_transposed) std::reverse(dims.begin(), dims.end());
  parameter.dims = std::move(dims);
  parameter.has_dims = true;
  const std::uint64_t columns = is_transposed ? elements.rows : elements.columns;
  const auto element = [&](std::uint64_t at) {
    const std::uint64_t row = at / columns, column = at % columns;
    return is_transposed ? elements.at(column, row) : elements.at(row, column);
  };
  for (const double value : dataflow::sample_weight(elements.count(), element))
    parameter.samples.push_back(base::to_float16(static_cast<float>(value)));
  return parameter;
}

// The names of a parameter in the other modules that read it: a table that is tied to a linear layer has two.
std::vector<std::string> other_names(const semantics::Map& map, const std::vector<onnx::NodeId>& readers,
                                     const std::string& path) {
  std::vector<std::string> names;
  for (const onnx::NodeId node : readers) {
    const modules::ModuleId module = map.own_answer(node).module;
    if (module == modules::no_module || !map.own_tree()[module].children.empty()) continue;
    std::string name(map.own_tree()[module].path);
    name.append(".").append(last_name(path));
    if (name != path && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// By initializer, the nodes that read it, possibly through nodes that only change its form.
std::vector<std::vector<onnx::NodeId>> readers_of(const onnx::Model& model) {
  std::vector<std::vector<onnx::NodeId>> readers(model.initializers().size());
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    for (const onnx::ValueId input : model.node(id).inputs())
      if (const std::uint32_t found = hierarchy::initializer_behind(model, input);
          found != onnx::none && readers[found].size() < max_consumers)
        readers[found].push_back(id);
  return readers;
}

}  // namespace

std::vector<CapturedParameter> sampled_parameters(const semantics::Map& map) {
  const std::vector<Weight> weights = trace_weights(map);
  const reference::StoredWeights stored(map.model());
  const std::vector<std::vector<onnx::NodeId>> readers = readers_of(map.model());
  std::vector<CapturedParameter> parameters;
  for (const reference::StoredWeight& each : stored.all()) {
    const Weight& weight = weights[each.initializer];
    const bool is_whole = weight.transform == Transform::identity ||
                          weight.transform == Transform::transposed || weight.transform == Transform::cast;
    const onnx::TensorView tensor = map.model().tensor(map.model().initializers()[each.initializer]);
    const bool is_packed = tensor.elements() != each.elements.count();
    if (!is_whole || is_packed || weight.parameters.size() != 1) continue;
    parameters.push_back(sampled_parameter(weight.parameters.front(), tensor.dims, each.elements,
                                           weight.transform == Transform::transposed));
    parameters.back().aliases = other_names(map, readers[each.initializer], weight.parameters.front());
  }
  return parameters;
}

}  // namespace thence::weights
