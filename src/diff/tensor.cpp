#include "diff/tensor.h"

#include <cstring>
#include <optional>

#include "base/format.h"
#include "base/text_hash.h"
#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::diff {
namespace {

using onnx::DataType;

std::uint64_t content_hash(std::string_view bytes) { return base::text_hash(bytes, 0x64696666); }

template <class Number>
void append(std::string& bytes, std::uint64_t value) {
  const auto number = static_cast<Number>(value);
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// The elements in the layout of raw_data; nothing if they cannot be read.
std::optional<std::string> raw_of_fields(const onnx::Pieces& message, DataType type) {
  using onnx::TensorField;
  std::string bytes;
  const unsigned width = (onnx::bits_per_element(type) + 7) / 8;
  const auto push = [&](std::uint64_t value) {
    switch (width) {
      case 1: return append<std::uint8_t>(bytes, value);
      case 2: return append<std::uint16_t>(bytes, value);
      case 4: return append<std::uint32_t>(bytes, value);
      default: return append<std::uint64_t>(bytes, value);
    }
  };
  for (const std::string_view piece : message)
    for (wire::Fields field(piece); field.next();) {
      const bool numbers = field.field() == static_cast<std::uint32_t>(TensorField::float_data) ||
                           field.field() == static_cast<std::uint32_t>(TensorField::double_data);
      if (numbers && field.type() != wire::WireType::varint) {  // packed, or one by one
        bytes += field.bytes();
        continue;
      }
      if (field.tag() == wire::bytes_tag(TensorField::string_data)) {
        append<std::uint64_t>(bytes, field.bytes().size());
        bytes += field.bytes();
        continue;
      }
      for (const TensorField number :
           {TensorField::int32_data, TensorField::int64_data, TensorField::uint64_data})
        if (!wire::for_each_varint(field, static_cast<std::uint32_t>(number), push)) return std::nullopt;
    }
  return bytes;
}

template <class Number>
std::vector<Number> numbers_in(std::string_view bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

template <class Number>
std::string integers_text(std::string_view bytes) {
  const auto numbers = numbers_in<Number>(bytes);
  return number_text(std::vector<std::int64_t>(numbers.begin(), numbers.end()));
}

std::string numbers_of(DataType type, std::string_view bytes) {
  switch (type) {
    case DataType::float32: return number_text(numbers_in<float>(bytes));
    case DataType::uint8:
    case DataType::boolean: return integers_text<std::uint8_t>(bytes);
    case DataType::int8: return integers_text<std::int8_t>(bytes);
    case DataType::uint16: return integers_text<std::uint16_t>(bytes);
    case DataType::int16: return integers_text<std::int16_t>(bytes);
    case DataType::int32: return integers_text<std::int32_t>(bytes);
    case DataType::int64: return integers_text<std::int64_t>(bytes);
    case DataType::uint32: return integers_text<std::uint32_t>(bytes);
    default: return base::format("#{:016x}", content_hash(bytes));
  }
}

// Fills a tensor of known type and shape with elements in the layout of raw_data.
void fill(Tensor& tensor, std::string_view raw, std::uint64_t hash) {
  tensor.is_read = true;
  tensor.content = hash * 31 + static_cast<std::uint64_t>(tensor.type);
  for (const std::int64_t dim : tensor.dims)
    tensor.content = (tensor.content ^ static_cast<std::uint64_t>(dim)) * 0x9e3779b97f4a7c15;
  if (tensor.elements <= max_setting_elements) tensor.numbers = numbers_of(tensor.type, raw);
}
void fill(Tensor& tensor, std::string_view raw) { fill(tensor, raw, content_hash(raw)); }

// Numbers in an attribute, as a tensor of them would be.
template <class Number>
Tensor tensor_of_numbers(DataType type, const std::vector<Number>& numbers, bool is_list) {
  Tensor tensor{.type = type, .elements = numbers.size()};
  if (is_list) tensor.dims = {static_cast<std::int64_t>(numbers.size())};
  fill(tensor, {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)});
  return tensor;
}

Tensor tensor_of_strings(const std::vector<std::string_view>& strings, bool is_list) {
  Tensor tensor{.type = DataType::string, .elements = strings.size()};
  if (is_list) tensor.dims = {static_cast<std::int64_t>(strings.size())};
  std::string bytes;
  for (const std::string_view each : strings) append<std::uint64_t>(bytes, each.size()), bytes += each;
  fill(tensor, bytes);
  return tensor;
}

// Its content is a hash of both of its parts.
Tensor sparse_of(std::string_view message) {
  using onnx::SparseTensorField;
  Tensor tensor;
  std::uint64_t content = 0;
  for (wire::Fields field(message); field.next();) {
    wire::for_each_varint(field, static_cast<std::uint32_t>(SparseTensorField::dims), [&](std::uint64_t dim) {
      if (tensor.dims.size() < max_listed_numbers) tensor.dims.push_back(static_cast<std::int64_t>(dim));
    });
    if (field.tag() != wire::bytes_tag(SparseTensorField::values) &&
        field.tag() != wire::bytes_tag(SparseTensorField::indices))
      continue;
    const Tensor part = tensor_of({field.bytes()});
    content = content * 31 + part.content;
    if (field.tag() == wire::bytes_tag(SparseTensorField::values)) {
      tensor.type = part.type;
      tensor.elements = part.elements;
    }
    if (!part.is_read) return tensor;
  }
  std::string bytes;
  append<std::uint64_t>(bytes, content);
  fill(tensor, bytes);
  tensor.numbers.clear();
  return tensor;
}

template <class Number>
std::string list_numbers(const std::vector<Number>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < max_listed_numbers; ++i)
    text += base::format("{}{}", i == 0 ? "" : ",", numbers[i]);
  if (numbers.size() > max_listed_numbers)
    text += base::format(
        ",... {} in all, #{:016x}", numbers.size(),
        content_hash({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)}));
  return text;
}

}  // namespace

std::string number_text(const std::vector<std::int64_t>& numbers) { return list_numbers(numbers); }
std::string number_text(const std::vector<float>& numbers) { return list_numbers(numbers); }

std::string stored_elements(const Tensor& tensor) {
  return raw_of_fields(tensor.message, tensor.type).value_or(std::string());
}

std::string text_of(const Tensor& tensor) {
  std::string text = onnx::data_type_name(tensor.type);
  for (std::size_t i = 0; i < tensor.dims.size(); ++i)
    text += base::format("{}{}", i == 0 ? " " : "x", tensor.dims[i]);
  return text;
}

Tensor tensor_of(const onnx::Pieces& message, ExternalData* external) {
  const onnx::TensorView header = onnx::read_tensor(message);
  Tensor tensor{.message = message, .dims = header.dims, .type = header.data_type};
  const auto count = header.elements();
  tensor.elements = count.value_or(0);
  if (header.external) {
    const auto size = header.bytes();
    const auto found =
        external != nullptr && size ? external->files.find(*header.external, *size) : std::nullopt;
    if (!found) return tensor;
    tensor.raw = *found;
    const auto [hash, is_new] = external->hashes.try_emplace({found->data(), found->size(), tensor.type});
    if (is_new) hash->second = content_hash(*found);
    fill(tensor, *found, hash->second);
    return tensor;
  }
  for (const std::string_view piece : message)
    for (wire::Fields field(piece); field.next();)
      if (field.tag() == wire::bytes_tag(onnx::TensorField::raw_data)) tensor.raw = field.bytes();
  std::optional<std::string> gathered;
  if (tensor.raw.empty()) gathered = raw_of_fields(message, header.data_type);
  const std::string_view elements = gathered ? std::string_view(*gathered) : tensor.raw;
  if (const unsigned width = onnx::bytes_per_element(header.data_type);
      !count || (width > 0 && (elements.size() % width != 0 || elements.size() / width != *count)))
    return tensor;
  fill(tensor, elements);
  return tensor;
}

Tensor Constants::tensor_of_constant(const onnx::Node& constant) {
  Tensor tensor;
  constant.for_each_attribute([&](const onnx::AttributeView& attribute) {
    if (!attribute.ref_attr_name.empty())  // an attribute of the function
      tensor = tensor_of_strings({attribute.ref_attr_name}, false);
    else if (attribute.has_tensor)
      tensor = tensor_of(attribute.tensor, &external_);
    else if (attribute.name == "value_int")
      tensor = tensor_of_numbers(DataType::int64, std::vector{attribute.i}, false);
    else if (attribute.name == "value_ints")
      tensor = tensor_of_numbers(DataType::int64, attribute.ints, true);
    else if (attribute.name == "value_float")
      tensor = tensor_of_numbers(DataType::float32, std::vector{attribute.f}, false);
    else if (attribute.name == "value_floats")
      tensor = tensor_of_numbers(DataType::float32, attribute.floats, true);
    else if (attribute.name == "value_string")
      tensor = tensor_of_strings({attribute.s}, false);
    else if (attribute.name == "value_strings")
      tensor = tensor_of_strings(attribute.strings, true);
  });
  for (wire::Fields field(constant.bytes()); field.next();)
    if (field.tag() == wire::bytes_tag(onnx::NodeField::attribute))
      for (wire::Fields inner(field.bytes()); inner.next();)
        if (inner.tag() == wire::bytes_tag(onnx::AttributeField::sparse_tensor))
          tensor = sparse_of(inner.bytes());
  return tensor;
}

Tensor Constants::tensor_of_attribute(const onnx::Pieces& message) {
  Tensor tensor = tensor_of(message, &external_);
  if (!tensor.is_read && !message.empty()) unread_attributes_.insert(message.front().data());
  return tensor;
}

Tensor Constants::read(onnx::ValueId value) {
  const onnx::Producer producer = model_.producer(value);
  if (producer.kind == onnx::Producer::Kind::node) return tensor_of_constant(model_.node(producer.index));
  const onnx::Initializer& initializer = model_.initializers()[producer.index];
  return initializer.sparse ? sparse_of(initializer.bytes)
                            : tensor_of(onnx::Pieces{initializer.bytes}, &external_);
}

// The constant that a value is, or none. Exporters store one of several equal weights, and an Identity node
// for each of the others.
onnx::ValueId Constants::origin(onnx::ValueId value) const {
  for (int step = 0; step < max_identity_chain && value != onnx::none; ++step) {
    const onnx::Producer producer = model_.producer(value);
    if (producer.kind == onnx::Producer::Kind::initializer) return value;
    if (producer.kind != onnx::Producer::Kind::node) break;
    const onnx::Node node = model_.node(producer.index);
    if (node.op_type() == "Constant") return value;
    if (node.op_type() != "Identity" || node.inputs().size() != 1) break;
    value = node.inputs()[0];
  }
  return onnx::none;
}

bool Constants::is_constant_node(const onnx::Node& node) const {
  return node.op_type() == "Constant" || (node.op_type() == "Identity" && node.outputs().size() == 1 &&
                                          origin(node.outputs()[0]) != onnx::none);
}

const Tensor* Constants::of(onnx::ValueId value) {
  const onnx::ValueId source = origin(value);
  if (source == onnx::none) return nullptr;
  const auto [entry, is_new] = tensors_.try_emplace(source);
  if (is_new) {
    entry->second = read(source);
    unread_ += !entry->second.is_read;
  }
  return &entry->second;
}

}  // namespace thence::diff
