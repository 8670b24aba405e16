#include "wire_tree.h"

#include <algorithm>

#include "wire/splice.h"

namespace thence::fuzz {
namespace {

constexpr unsigned most_levels = 128;

struct KnownField {
  Kind message;
  std::uint32_t number;
  Kind kind;
};

// As in onnx.proto; other fields are data, or messages of an unknown kind.
constexpr KnownField known_fields[] = {
    {Kind::model, 2, Kind::text},
    {Kind::model, 7, Kind::graph},
    {Kind::model, 8, Kind::opset},
    {Kind::model, 14, Kind::entry},
    {Kind::model, 25, Kind::function},
    {Kind::graph, 1, Kind::node},
    {Kind::graph, 2, Kind::text},
    {Kind::graph, 5, Kind::tensor},
    {Kind::graph, 11, Kind::value_info},
    {Kind::graph, 12, Kind::value_info},
    {Kind::graph, 13, Kind::value_info},
    {Kind::graph, 16, Kind::entry},
    {Kind::node, 1, Kind::value_name},
    {Kind::node, 2, Kind::value_name},
    {Kind::node, 3, Kind::node_name},
    {Kind::node, 4, Kind::operator_name},
    {Kind::node, 5, Kind::attribute},
    {Kind::node, 6, Kind::text},
    {Kind::node, 7, Kind::domain},
    {Kind::node, 8, Kind::domain},
    {Kind::node, 9, Kind::entry},
    {Kind::attribute, 1, Kind::text},
    {Kind::attribute, 4, Kind::text},
    {Kind::attribute, 5, Kind::tensor},
    {Kind::attribute, 6, Kind::graph},
    {Kind::attribute, 8, Kind::data},
    {Kind::attribute, 9, Kind::text},
    {Kind::attribute, 10, Kind::tensor},
    {Kind::attribute, 11, Kind::graph},
    {Kind::attribute, 14, Kind::type},
    {Kind::attribute, 21, Kind::text},
    {Kind::tensor, 1, Kind::data},
    {Kind::tensor, 4, Kind::data},
    {Kind::tensor, 5, Kind::data},
    {Kind::tensor, 7, Kind::data},
    {Kind::tensor, 8, Kind::value_name},
    {Kind::tensor, 9, Kind::data},
    {Kind::tensor, 13, Kind::entry},
    {Kind::value_info, 1, Kind::value_name},
    {Kind::value_info, 2, Kind::type},
    {Kind::type, 1, Kind::tensor_type},
    {Kind::tensor_type, 2, Kind::shape},
    {Kind::shape, 1, Kind::dimension},
    {Kind::dimension, 2, Kind::text},
    {Kind::function, 1, Kind::operator_name},
    {Kind::function, 4, Kind::value_name},
    {Kind::function, 5, Kind::value_name},
    {Kind::function, 6, Kind::text},
    {Kind::function, 7, Kind::node},
    {Kind::function, 9, Kind::opset},
    {Kind::function, 10, Kind::domain},
    {Kind::function, 11, Kind::attribute},
    {Kind::function, 12, Kind::value_info},
    {Kind::function, 13, Kind::domain},
    {Kind::function, 14, Kind::entry},
    {Kind::entry, 1, Kind::text},
    {Kind::entry, 2, Kind::text},
    {Kind::opset, 1, Kind::domain},
};

bool read_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 70 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool read_fixed(std::string_view& bytes, std::size_t size, std::uint64_t& value) {
  if (bytes.size() < size) return false;
  value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(size);
  return true;
}

// Text and packed numbers may look like messages by chance, so only known fields are parsed if they are
// printable.
bool may_be_message(std::string_view bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

void read_content(Field& field, std::string_view content, Kind message, unsigned depth) {
  field.kind = kind_of_field(message, field.number);
  const bool is_known = field.kind != Kind::unknown;
  const bool tries = field.is_message() && depth < most_levels && (is_known || may_be_message(content));
  if (tries && parse_message(content, field.kind, field.fields, depth + 1)) return;
  field.fields.clear();
  if (field.is_message()) field.kind = Kind::data;
  field.bytes = content;
}

}  // namespace

Kind kind_of_field(Kind message, std::uint32_t number) {
  for (const KnownField& known : known_fields)
    if (known.message == message && known.number == number) return known.kind;
  return Kind::unknown;
}

bool parse_message(std::string_view bytes, Kind kind, std::vector<Field>& fields, unsigned depth) {
  while (!bytes.empty()) {
    std::uint64_t tag = 0, size = 0;
    if (!read_varint(bytes, tag) || tag >> 3 == 0 || tag >> 32 != 0) return false;
    Field field{.number = static_cast<std::uint32_t>(tag >> 3), .wire_type = static_cast<unsigned>(tag & 7)};
    switch (field.wire_type) {
      case 0:
        if (!read_varint(bytes, field.value)) return false;
        break;
      case 1:
        if (!read_fixed(bytes, 8, field.value)) return false;
        break;
      case 2:
        if (!read_varint(bytes, size) || size > bytes.size()) return false;
        read_content(field, bytes.substr(0, size), kind, depth);
        bytes.remove_prefix(size);
        break;
      case 5:
        if (!read_fixed(bytes, 4, field.value)) return false;
        break;
      default: return false;
    }
    fields.push_back(std::move(field));
  }
  return true;
}

void write_message(const std::vector<Field>& fields, std::string& out) {
  for (const Field& field : fields) {
    wire::append_varint(out, std::uint64_t{field.number} << 3 | field.wire_type);
    if (field.wire_type == 0) wire::append_varint(out, field.value);
    if (field.wire_type == 1 || field.wire_type == 5)
      for (unsigned i = 0; i < (field.wire_type == 1 ? 8 : 4); ++i)
        out.push_back(static_cast<char>(field.value >> (8 * i) & 0xff));
    if (field.wire_type != 2) continue;
    std::string inner;
    if (field.is_message()) write_message(field.fields, inner);
    const std::string& content = field.is_message() ? inner : field.bytes;
    wire::append_varint(out, content.size());
    out += content;
  }
}

}  // namespace thence::fuzz
