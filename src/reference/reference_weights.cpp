#include "reference/reference_weights.h"

#include <algorithm>
#include <string>

#include "base/half_float.h"
#include "dataflow/constant.h"
#include "dataflow/weight_samples.h"
#include "reference/element_type.h"
#include "reference/thresholds.h"

namespace thence::reference {

using capture::CapturedParameter;

namespace {

bool has_content(const CapturedParameter& parameter) {
  return parameter.samples.size() == dataflow::weight_samples || parameter.packed ||
         (parameter.data_elements() > 0 && element_type(parameter.dtype) != onnx::DataType::undefined);
}

std::vector<double> read_samples(const CapturedParameter& parameter, std::uint64_t elements) {
  if (parameter.samples.size() == dataflow::weight_samples) {
    std::vector<double> samples;
    for (const std::uint16_t half : parameter.samples) samples.push_back(base::from_float16(half));
    return samples;
  }
  if (const auto& packed = parameter.packed; packed && packed->outputs * packed->inputs == elements)
    return dataflow::sample_weight(
        elements, [&](std::uint64_t at) { return packed->at(at / packed->inputs, at % packed->inputs); });
  dataflow::Constant piece;
  piece.type = element_type(parameter.dtype);
  if (parameter.data_elements() < elements || parameter.width != onnx::bytes_per_element(piece.type))
    return {};
  return dataflow::sample_weight(elements, [&](std::uint64_t at) {
    auto data = parameter.pieces.begin();
    for (; at >= data->size() / parameter.width; ++data) at -= data->size() / parameter.width;
    piece.data = *data;
    return piece.element(at);
  });
}

// Nothing for parameters without numbers to compare.
ReferenceWeight weight_of(const CapturedParameter& parameter) {
  if (!parameter.has_dims || parameter.dims.empty() || !has_content(parameter)) return {};
  std::uint64_t elements = 1;
  for (const std::int64_t size : parameter.dims) {
    if (size <= 0 || static_cast<std::uint64_t>(size) > (std::uint64_t{1} << 48) / elements) return {};
    elements *= static_cast<std::uint64_t>(size);
  }
  if (elements < min_elements) return {};
  const auto axis = [&](std::size_t at) { return static_cast<std::uint64_t>(parameter.dims[at]); };
  const bool has_experts = parameter.dims.size() == 3;
  const std::uint64_t rows = has_experts ? axis(0) * axis(1) : axis(0);
  return {rows, elements / rows, has_experts ? axis(0) : 1};
}

}  // namespace

std::pair<std::string_view, std::string_view> split_name(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return {{}, path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

bool have_content(std::span<const CapturedParameter> parameters) {
  return std::any_of(parameters.begin(), parameters.end(), has_content);
}

ReferenceWeights::ReferenceWeights(std::span<const CapturedParameter> parameters)
    : parameters_(parameters), samples_(parameters.size()) {
  for (ParameterId id = 0; id < parameters.size(); ++id) {
    weights_.push_back(weight_of(parameters[id]));
    if (weights_.back().elements() == 0) continue;
    by_size_[weights_.back().elements()].push_back(id);
    by_columns_[weights_.back().columns].push_back(id);
    by_path_.emplace(parameters[id].path, id);
    for (const std::string& alias : parameters[id].aliases) by_path_.emplace(alias, id);
  }
}

std::span<const ParameterId> ReferenceWeights::find(const Index& index, std::uint64_t key) {
  const auto found = index.find(key);
  return found == index.end() ? std::span<const ParameterId>() : found->second;
}

std::optional<ParameterId> ReferenceWeights::named(std::string_view path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ParameterId> ReferenceWeights::beside(ParameterId parameter, std::string_view name) const {
  std::string path(split_name(parameters_[parameter].path).first);
  if (!path.empty()) path += '.';
  return named(path.append(name));
}

std::span<const double> ReferenceWeights::samples(ParameterId parameter) {
  std::vector<double>& samples = samples_[parameter];
  if (samples.empty()) samples = read_samples(parameters_[parameter], weights_[parameter].elements());
  return samples;
}

}  // namespace thence::reference
