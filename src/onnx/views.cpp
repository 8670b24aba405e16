#include "onnx/views.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/format.h"
#include "onnx/layout.h"
#include "onnx/limits.h"
#include "wire/fields.h"

namespace thence::onnx {
namespace {

using wire::bytes_tag;
using wire::Fields;
using wire::varint_tag;

// As in protobuf, an unknown enum value counts as an unknown field: the previous value stays.
constexpr std::int32_t last_attribute_type = 14, last_data_location = 1;
std::optional<std::int32_t> known_enum(std::uint64_t varint, std::int32_t last) {
  const auto value = static_cast<std::int32_t>(varint);
  if (value < 0 || value > last) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void read_dims(const Pieces& shapes, ValueInfoView& view) {
  for (const std::string_view shape : shapes)
    for (Fields field(shape); field.next();) {
      if (field.tag() != bytes_tag(ShapeField::dim)) continue;
      Dimension dim;
      for (Fields inner(field.bytes()); inner.next();) {
        if (inner.tag() == varint_tag(DimensionField::value)) {
          dim = {static_cast<std::int64_t>(inner.varint()), {}};
        } else if (inner.tag() == bytes_tag(DimensionField::param)) {
          dim = {std::nullopt, inner.bytes()};
        }
      }
      view.dims.push_back(dim);
    }
}

// The type is a protobuf `oneof`: the last kind given wins, and repeated fields of one kind are merged.
void read_type(const Pieces& types, ValueInfoView& view) {
  Pieces tensor;
  std::uint32_t kind = 0;
  for (const std::string_view type : types)
    for (Fields field(type); field.next();) {
      switch (field.tag()) {
        case bytes_tag(TypeField::tensor):
        case bytes_tag(TypeField::sequence):
        case bytes_tag(TypeField::map):
        case bytes_tag(TypeField::opaque):
        case bytes_tag(TypeField::sparse_tensor):
        case bytes_tag(TypeField::optional):
          if (field.field() != kind) tensor.clear();
          kind = field.field();
          tensor.push_back(field.bytes());
          break;
        default: break;
      }
    }
  if (kind != static_cast<std::uint32_t>(TypeField::tensor)) return;
  view.is_tensor = true;
  Pieces shapes;
  for (const std::string_view piece : tensor)
    for (Fields field(piece); field.next();) {
      if (field.tag() == varint_tag(TensorTypeField::elem_type))
        view.elem_type = static_cast<DataType>(field.varint());
      if (field.tag() == bytes_tag(TensorTypeField::shape)) shapes.push_back(field.bytes());
    }
  view.has_shape = !shapes.empty();
  read_dims(shapes, view);
}

}  // namespace

MetadataEntry read_metadata_entry(std::string_view message) {
  MetadataEntry entry;
  for (Fields field(message); field.next();) {
    if (field.tag() == bytes_tag(EntryField::key)) entry.key = field.bytes();
    if (field.tag() == bytes_tag(EntryField::value)) entry.value = field.bytes();
  }
  return entry;
}

std::vector<MetadataEntry> read_metadata(const Pieces& message, std::uint32_t number_of_field) {
  std::vector<MetadataEntry> entries;
  for (const std::string_view piece : message)
    for (Fields field(piece); field.next();)
      if (field.tag() == bytes_tag(number_of_field)) entries.push_back(read_metadata_entry(field.bytes()));
  return entries;
}

constexpr std::uint64_t past_any_file = static_cast<std::uint64_t>(-1);  // after the end of any file

namespace {

ExternalData read_external_data(const std::vector<MetadataEntry>& entries) {
  ExternalData data;
  for (const MetadataEntry& entry : entries) {
    if (entry.key == "location") data.location = entry.value;
    if (entry.key != "offset" && entry.key != "length") continue;
    // Runtimes reject a value that is not a decimal number, so it must not be read as 0.
    const std::optional<std::uint64_t> place = number(entry.value);
    if (!place) data.invalid_entry = entry;
    (entry.key == "offset" ? data.offset : data.length) = place.value_or(past_any_file);
  }
  return data;
}

}  // namespace

TensorView read_tensor(const Pieces& message) {
  TensorView view;
  std::vector<MetadataEntry> external;
  bool is_external = false;
  for (const std::string_view piece : message)
    for (Fields field(piece); field.next();) {
      wire::for_each_varint(field, static_cast<std::uint32_t>(TensorField::dims), [&](std::uint64_t dim) {
        if (view.dims.size() < max_dims)
          view.dims.push_back(static_cast<std::int64_t>(dim));
        else
          view.dims.back() = -1;  // more dimensions than any tensor has: the number of elements is unknown
      });
      switch (field.tag()) {
        case varint_tag(TensorField::data_type):
          view.data_type = static_cast<DataType>(field.varint());
          break;
        case varint_tag(TensorField::data_location):
          if (const auto place = known_enum(field.varint(), last_data_location)) is_external = *place == 1;
          break;
        case bytes_tag(TensorField::name): view.name = field.bytes(); break;
        case bytes_tag(TensorField::doc_string): view.doc_string = field.bytes(); break;
        case bytes_tag(TensorField::raw_data): view.raw_size = field.bytes().size(); break;
        case bytes_tag(TensorField::external_data):
          external.push_back(read_metadata_entry(field.bytes()));
          break;
        case bytes_tag(TensorField::metadata_props):
          view.metadata.push_back(read_metadata_entry(field.bytes()));
          break;
        default: break;
      }
    }
  if (is_external) view.external = read_external_data(external);
  return view;
}

std::optional<std::uint64_t> TensorView::elements() const {
  if (std::any_of(dims.begin(), dims.end(), [](std::int64_t dim) { return dim < 0; })) return std::nullopt;
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  std::uint64_t product = 1;
  for (const std::int64_t dim : dims)
    if (__builtin_mul_overflow(product, static_cast<std::uint64_t>(dim), &product)) return std::nullopt;
  return product;
}

std::optional<std::uint64_t> TensorView::bytes() const {
  const auto count = elements();
  const unsigned bits = bits_per_element(data_type);
  std::uint64_t total = 0;
  if (!count || bits == 0 || __builtin_mul_overflow(*count, std::uint64_t{bits}, &total)) return std::nullopt;
  return total / 8 + (total % 8 != 0);
}

ValueInfoView read_value_info(std::string_view message) {
  ValueInfoView view;
  Pieces types;
  for (Fields field(message); field.next();) switch (field.tag()) {
      case bytes_tag(ValueInfoField::name): view.name = field.bytes(); break;
      case bytes_tag(ValueInfoField::type): types.push_back(field.bytes()); break;
      case bytes_tag(ValueInfoField::doc_string): view.doc_string = field.bytes(); break;
      case bytes_tag(ValueInfoField::metadata_props):
        view.metadata.push_back(read_metadata_entry(field.bytes()));
        break;
      default: break;
    }
  read_type(types, view);
  return view;
}

AttributeView read_attribute(std::string_view message) {
  // #lizard forgives: a plain switch over the fields of the message.
  AttributeView view;
  for (Fields field(message); field.next();) {
    wire::for_each_varint(field, static_cast<std::uint32_t>(AttributeField::ints), [&](std::uint64_t value) {
      view.ints.push_back(static_cast<std::int64_t>(value));
    });
    switch (field.tag()) {
      case bytes_tag(AttributeField::name): view.name = field.bytes(); break;
      case bytes_tag(AttributeField::doc_string): view.doc_string = field.bytes(); break;
      case bytes_tag(AttributeField::ref_attr_name): view.ref_attr_name = field.bytes(); break;
      case varint_tag(AttributeField::type):
        view.type = known_enum(field.varint(), last_attribute_type).value_or(view.type);
        break;
      case wire::tag_of(2, wire::WireType::fixed32): view.f = field.as_float(); break;
      case varint_tag(AttributeField::i): view.i = static_cast<std::int64_t>(field.varint()); break;
      case bytes_tag(AttributeField::s): view.s = field.bytes(); break;
      case wire::tag_of(7, wire::WireType::fixed32): view.floats.push_back(field.as_float()); break;
      case bytes_tag(AttributeField::floats):
        for (std::size_t at = 0; at + 4 <= field.bytes().size(); at += 4) {
          float value;
          std::memcpy(&value, field.bytes().data() + at, sizeof value);
          view.floats.push_back(value);
        }
        break;
      case bytes_tag(AttributeField::strings): view.strings.push_back(field.bytes()); break;
      case bytes_tag(AttributeField::t):
        view.tensor.push_back(field.bytes());
        view.has_tensor = true;
        break;
      case bytes_tag(AttributeField::tensors): view.tensors.push_back(field.bytes()); break;
      case bytes_tag(AttributeField::g):
        view.graph.push_back(field.bytes());
        view.has_graph = true;
        break;
      case bytes_tag(AttributeField::graphs): view.graphs.push_back(field.bytes()); break;
      default: break;
    }
  }
  return view;
}

}  // namespace thence::onnx
