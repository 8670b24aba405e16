// The dynamo exporter's optimiser writes from which values it computed a constant, parameters among them.
#include <algorithm>

#include "hierarchy/parameters.h"
#include "hierarchy/python_literal.h"
#include "weights/input_slot.h"
#include "weights/tracer.h"

namespace thence::weights {
namespace {

bool is_parameter(Tracer& tracer, std::string_view name) {
  if (!tracer.captured().empty()) return tracer.captured().find(name) != nullptr;
  return name.find('.') != std::string_view::npos && !is_lifted_constant(name) &&
         !hierarchy::parameter_path(name).empty();
}

// Buffers of integers, such as positions, only select elements of the parameters beside them.
void remove_indices(Tracer& tracer, std::vector<std::string>& names) {
  const auto is_index = [&](const std::string& name) {
    const CapturedParameter* const parameter = tracer.captured().find(name);
    return parameter != nullptr && parameter->dtype.find("int") != std::string::npos;
  };
  if (!std::all_of(names.begin(), names.end(), is_index)) std::erase_if(names, is_index);
}

std::uint64_t element_count(const CapturedParameter& parameter) {
  onnx::TensorView header;
  header.dims = parameter.dims;
  return header.elements().value_or(0);
}

bool is_read_by_recurrent(const Tracer& tracer, std::size_t initializer) {
  const auto consumers = tracer.consumers().of(initializer);
  return !consumers.empty() && is_recurrent(tracer.model().node(consumers.front().node).op_type());
}

// The list is sorted by name. The parameter of the initializer's size comes first; recurrent operators read
// the parameters of the input before those of the hidden state.
void order_parts(Tracer& tracer, std::size_t initializer, std::vector<std::string>& names) {
  const auto elements = tracer.tensor(initializer).elements();
  std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {
    const CapturedParameter* const parameter = tracer.captured().find(name);
    return parameter != nullptr && parameter->has_dims && element_count(*parameter) == elements;
  });
  if (is_read_by_recurrent(tracer, initializer))
    std::stable_partition(names.begin(), names.end(),
                          [](const std::string& name) { return name.find("_ih_") != std::string::npos; });
}

// A matrix that a product reads on the right was transposed; exporters fold nothing else into it.
bool is_factor(const Tracer& tracer, std::size_t initializer) {
  const auto consumers = tracer.consumers().of(initializer);
  return tracer.tensor(initializer).dims.size() == 2 &&
         std::any_of(consumers.begin(), consumers.end(), [&](const Consumer& each) {
           return each.input == 1 && tracer.model().node(each.node).op_type() == "MatMul";
         });
}

// Of a tensor with as many elements as the only parameter that it was computed from.
Transform transform_of_whole(Tracer& tracer, std::size_t initializer, const CapturedParameter& parameter) {
  const onnx::TensorView& tensor = tracer.tensor(initializer);
  if (is_cast(tensor, parameter)) return Transform::cast;
  // The elements are others: a function of the parameter, such as its exponential.
  const auto content = parameter.unordered ? tracer.content(initializer) : std::nullopt;
  if (content && content->unordered != *parameter.unordered) return Transform::folded;
  // A square matrix has the same shape after it was transposed.
  return fit_of(tensor, parameter) == Fit::same && !is_factor(tracer, initializer) ? Transform::identity
                                                                                   : Transform::transposed;
}

Transform transform_of(Tracer& tracer, std::size_t initializer, const std::vector<std::string>& parameters) {
  const onnx::TensorView& tensor = tracer.tensor(initializer);
  const std::uint64_t elements = tensor.elements().value_or(0);
  std::uint64_t known = 0;
  for (const std::string& each : parameters) {
    const CapturedParameter* const parameter = tracer.captured().find(each);
    if (parameter == nullptr || !parameter->has_dims) {
      if (parameters.size() > 1)
        return is_read_by_recurrent(tracer, initializer) ? Transform::concatenated : Transform::folded;
      return is_factor(tracer, initializer) ? Transform::transposed : Transform::split;
    }
    known += element_count(*parameter);
  }
  if (parameters.size() > 1) return known == elements ? Transform::concatenated : Transform::folded;
  if (elements < known) return Transform::split;
  if (elements > known) return Transform::concatenated;  // of copies
  return transform_of_whole(tracer, initializer, *tracer.captured().find(parameters.front()));
}

}  // namespace

void trace_by_metadata(Tracer& tracer) {
  for (std::size_t i = 0; i < tracer.size(); ++i) {
    const std::string_view sources = tracer.is_open(i) ? tracer.folded_from(i) : std::string_view();
    if (sources.empty() || !onnx::is_float(tracer.tensor(i).data_type)) continue;
    auto names = hierarchy::parse_string_list(sources);
    if (!names) continue;
    std::erase_if(*names, [&](const std::string& name) { return !is_parameter(tracer, name); });
    if (names->empty()) continue;
    remove_indices(tracer, *names);
    order_parts(tracer, i, *names);
    const Transform transform = transform_of(tracer, i, *names);
    tracer.set(i, *std::move(names), transform, WeightSource::metadata);
  }
}

}  // namespace thence::weights
