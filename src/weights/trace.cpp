#include "weights/trace.h"

#include "onnx/layout.h"
#include "weights/tracer.h"

namespace thence::weights {
namespace {

// Whether the message has elements: bytes of the right size, or numbers in one of the typed fields.
bool has_data(std::string_view message, std::uint64_t size) {
  using onnx::TensorField;
  std::uint64_t raw = 0;
  bool has_numbers = false;
  for (wire::Fields field(message); field.next();) {
    if (field.tag() == wire::bytes_tag(TensorField::raw_data)) raw = field.bytes().size();
    for (const TensorField numbers :
         {TensorField::float_data, TensorField::int32_data, TensorField::int64_data, TensorField::double_data,
          TensorField::uint64_data})
      has_numbers |= field.field() == static_cast<std::uint32_t>(numbers);
  }
  return raw == size || (raw == 0 && has_numbers);
}

}  // namespace

std::vector<Weight> trace_weights(const semantics::Map& map) {
  Tracer tracer(map);
  trace_by_held(tracer);
  trace_by_name(tracer);
  trace_folded_norms(tracer);
  trace_by_content(tracer);
  trace_by_metadata(tracer);
  trace_by_consumers(tracer);
  trace_by_absence(tracer);
  trace_joined(tracer);
  trace_by_tags(tracer);
  return tracer.finish();
}

std::vector<std::size_t> missing_data(const onnx::Model& model) {
  std::vector<std::size_t> missing;
  dataflow::DataFiles files(model);
  for (std::size_t i = 0; i < model.initializers().size(); ++i) {
    const onnx::Initializer& initializer = model.initializers()[i];
    if (initializer.sparse) continue;
    const onnx::TensorView header = model.tensor(initializer);
    const auto size = header.bytes();
    if (!size || *size == 0) continue;
    if (header.external ? !files.find(*header.external, *size) : !has_data(initializer.bytes, *size))
      missing.push_back(i);
  }
  return missing;
}

}  // namespace thence::weights
