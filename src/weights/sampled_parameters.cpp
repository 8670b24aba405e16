#include "weights/sampled_parameters.h"

#include <algorithm>

#include "base/half_float.h"
#include "dataflow/weight_samples.h"
#include "reference/stored_weights.h"
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

}  // namespace

std::vector<CapturedParameter> sampled_parameters(const semantics::Map& map) {
  const std::vector<Weight> weights = trace_weights(map);
  const reference::StoredWeights stored(map.model());
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
  }
  return parameters;
}

}  // namespace thence::weights
