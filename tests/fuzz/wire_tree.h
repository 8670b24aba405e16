// The fields of a model as a tree that can be changed and written again. Unlike onnx::Model, it keeps
// everything that can be parsed, whatever it means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thence::fuzz {

/// What a message is, by its position. Messages of one kind can be exchanged.
enum class Kind : std::uint8_t {
  unknown,
  model,
  graph,
  node,
  attribute,
  tensor,
  value_info,
  type,
  tensor_type,
  shape,
  dimension,
  function,
  entry,
  opset,
  // Of fields that are no messages.
  value_name,
  node_name,
  operator_name,
  domain,
  text,
  data,
};

struct Field {
  std::uint32_t number = 0;
  unsigned wire_type = 0;
  Kind kind = Kind::unknown;
  std::uint64_t value = 0;         // of numbers
  std::string bytes = {};          // of texts and data
  std::vector<Field> fields = {};  // of messages

  bool is_message() const { return wire_type == 2 && kind < Kind::value_name; }
  bool is_text() const { return wire_type == 2 && kind >= Kind::value_name; }
};

/// A message of the kind, without its tag. False if the bytes are no message.
bool parse_message(std::string_view bytes, Kind kind, std::vector<Field>& fields, unsigned depth = 0);
void write_message(const std::vector<Field>& fields, std::string& out);

/// The kind of a field, by its number and the message that it is in.
Kind kind_of_field(Kind message, std::uint32_t number);

}  // namespace thence::fuzz
