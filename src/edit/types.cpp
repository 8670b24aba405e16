// The types of the values of a model, from the model file or from a JSON file.
#include "base/format.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "edit/extract.h"
#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::edit {
namespace {

using wire::varint_tag;

void add_value_info(std::string_view info, Types& types) {
  std::string_view name, type;
  for (wire::Fields field(info); field.next();) {
    if (field.tag() == wire::bytes_tag(onnx::ValueInfoField::name)) name = field.bytes();
    if (field.tag() == wire::bytes_tag(onnx::ValueInfoField::type)) type = field.bytes();
  }
  if (!type.empty()) types.insert_or_assign(std::string(name), std::string(type));
}

// Encodes a tensor type. Each dimension is a number, a name, or unknown.
std::string tensor_type(std::uint64_t elem_type, base::JsonValue json) {
  std::string tensor;
  wire::append_varint(tensor, varint_tag(onnx::TensorTypeField::elem_type));
  wire::append_varint(tensor, elem_type);
  if (json["shape"].is_array()) {
    std::string shape;
    for (const base::JsonValue dim : json["shape"].items()) {
      std::string one;
      if (const auto value = dim.integer()) {
        wire::append_varint(one, varint_tag(onnx::DimensionField::value));
        wire::append_varint(one, static_cast<std::uint64_t>(*value));
      } else if (const auto param = dim.text()) {
        wire::append_field(one, onnx::DimensionField::param, *param);
      }
      wire::append_field(shape, onnx::ShapeField::dim, one);
    }
    wire::append_field(tensor, onnx::TensorTypeField::shape, shape);
  }
  std::string type;
  wire::append_field(type, onnx::TypeField::tensor, tensor);
  return type;
}

}  // namespace

Types types_of_model(const onnx::Model& model) {
  const onnx::Graph& main = model.graphs().front();
  Types types;
  for (const std::string_view info : model.value_infos(main)) add_value_info(info, types);
  for (const std::string_view info : main.output_infos) add_value_info(info, types);
  for (const std::string_view info : main.input_infos) add_value_info(info, types);
  return types;
}

std::optional<Error> add_types_from_file(const std::string& file, Types& types) {
  const Result<base::MappedFile> mapped = base::MappedFile::open(file);
  if (!mapped) return mapped.error();
  return add_types_from_json(mapped->bytes(), file, types);
}

std::optional<Error> add_types_from_json(std::string_view json, const std::string& file, Types& types) {
  const base::JsonDocument document(json);
  if (!document.root().is_object())
    return Error{ErrorKind::bad_input, "E006",
                 base::format("{}: not a JSON object of types by value name", base::printable(file)),
                 R"(write {"name": {"elem_type": 1, "shape": [1, "batch"]}})"};
  for (const auto& [name, type] : document.root().members())
    if (const auto elem_type = type["elem_type"].natural())
      types.try_emplace(std::string(name), tensor_type(*elem_type, type));
  return std::nullopt;
}

}  // namespace thence::edit
