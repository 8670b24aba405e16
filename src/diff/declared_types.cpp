#include "diff/declared_types.h"

namespace thence::diff {

DeclaredTypes::DeclaredTypes(const onnx::Model& model) {
  const onnx::Graph& graph = model.graphs()[0];
  const auto keep = [&](std::string_view message) {
    messages_.try_emplace(onnx::read_value_info(message).name, message);
  };
  for (const std::string_view message : graph.input_infos) keep(message);
  for (const std::string_view message : graph.output_infos) keep(message);
  for (const std::string_view message : model.value_infos(graph)) keep(message);
}

const onnx::ValueInfoView* DeclaredTypes::of(std::string_view value) {
  const auto found = messages_.find(value);
  if (found == messages_.end()) return nullptr;
  last_ = onnx::read_value_info(found->second);
  return &last_;
}

std::string text_of(const onnx::ValueInfoView& info) {
  if (!info.is_tensor) return "no tensor";
  std::string text = onnx::data_type_name(info.elem_type);
  if (!info.has_shape) return text;
  for (std::size_t i = 0; i < info.dims.size(); ++i) {
    text += i == 0 ? " " : "x";
    text += info.dims[i].value ? std::to_string(*info.dims[i].value) : "?";
  }
  return text;
}

bool shapes_contradict(const onnx::ValueInfoView& a, const onnx::ValueInfoView& b) {
  if (!a.has_shape || !b.has_shape) return false;
  if (a.dims.size() != b.dims.size()) return true;
  for (std::size_t i = 0; i < a.dims.size(); ++i)
    if (a.dims[i].value && b.dims[i].value && *a.dims[i].value != *b.dims[i].value) return true;
  return false;
}

}  // namespace thence::diff
