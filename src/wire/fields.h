// Fields: iterates over the fields of one protobuf message in place.
//
//   for (wire::Fields fields(bytes); fields.next();)
//     switch (fields.tag()) { case wire::bytes_tag(Graph::node): use(fields.bytes()); ... }
//
// Copies nothing, and never reads past the end, whatever the bytes are.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace thence::wire {

enum class WireType : std::uint32_t {
  varint = 0,
  fixed64 = 1,
  bytes = 2,
  group_start = 3,
  group_end = 4,
  fixed32 = 5
};

constexpr std::uint32_t tag_of(std::uint32_t field, WireType type) {
  return field << 3 | static_cast<std::uint32_t>(type);
}
template <class Field>
constexpr std::uint32_t bytes_tag(Field field) {
  return tag_of(static_cast<std::uint32_t>(field), WireType::bytes);
}
template <class Field>
constexpr std::uint32_t varint_tag(Field field) {
  return tag_of(static_cast<std::uint32_t>(field), WireType::varint);
}

/// Why a message cannot be decoded.
enum class Fault : std::uint8_t {
  none,
  varint_cut_off,
  varint_too_long,
  tag_too_large,
  field_zero,
  length_past_end,
  number_past_end,
  group,
  unknown_wire_type,
  too_deep,
  packed_numbers,
};

class Fields {
 public:
  explicit Fields(std::string_view message) : at_(message.data()), end_(message.data() + message.size()) {}

  /// Moves to the next field. False at the end, or if the bytes cannot be decoded, in which case fault()
  /// gives the reason. Always inlined: messages are read in tight loops, whose state then stays in registers.
  [[gnu::always_inline]] bool next() {
    if (at_ == end_) return false;
    start_ = at_;
    // Nearly all tags and lengths have one byte.
    std::uint64_t tag = static_cast<unsigned char>(*at_);
    if (tag < 0x80) {
      ++at_;
    } else if (!read_tag(tag)) {
      return false;
    }
    if (tag < 8) return fail(Fault::field_zero);
    tag_ = static_cast<std::uint32_t>(tag);
    if ((tag & 7) != 2) return next_number();
    std::uint64_t size = 0;
    if (at_ < end_ && static_cast<unsigned char>(*at_) < 0x80) {
      size = static_cast<unsigned char>(*at_++);
    } else if (!read_length(size)) {
      return false;
    }
    return take(size, Fault::length_past_end);
  }

  std::uint32_t tag() const { return tag_; }
  std::uint32_t field() const { return tag_ >> 3; }
  WireType type() const { return static_cast<WireType>(tag_ & 7); }
  std::uint64_t varint() const { return varint_; }
  /// The payload of a bytes or fixed field.
  std::string_view bytes() const { return payload_; }
  float as_float() const {
    float value;
    std::memcpy(&value, payload_.data(), sizeof value);
    return value;
  }
  /// The start of the current field, including its tag, and the start of the unread bytes.
  const char* start() const { return start_; }
  const char* rest() const { return at_; }

  Fault fault() const { return fault_; }
  const char* fault_at() const { return start_; }

 private:
  bool next_number() {
    switch (tag_ & 7) {
      case 0: return read_varint(varint_);
      case 1: return take(8, Fault::number_past_end);
      case 5: return take(4, Fault::number_past_end);
      case 3:
      case 4: return fail(Fault::group);
      default: return fail(Fault::unknown_wire_type);
    }
  }
  bool fail(Fault fault) {
    fault_ = fault;
    at_ = end_;
    return false;
  }
  bool take(std::uint64_t size, Fault fault) {
    if (size > static_cast<std::uint64_t>(end_ - at_)) return fail(fault);
    payload_ = std::string_view(at_, size);
    at_ += size;
    return true;
  }
  bool read_tag(std::uint64_t& tag) {
    const char* const start = at_;
    if (!read_varint(tag)) return false;
    if (at_ - start > 5 || tag > 0xffffffffu) return fail(Fault::tag_too_large);
    return true;
  }
  /// At most five bytes, as in libprotobuf, except for lengths that need more.
  bool read_length(std::uint64_t& size) {
    const char* const start = at_;
    if (!read_varint(size)) return false;
    if (at_ - start > 5 && size >> 35 == 0) return fail(Fault::varint_too_long);
    return true;
  }
  /// At most ten bytes. Bits after the 64th are dropped, as in libprotobuf.
  bool read_varint(std::uint64_t& value) {
    value = 0;
    const char* at = at_;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at == end_) return fail(Fault::varint_cut_off);
      const auto byte = static_cast<unsigned char>(*at++);
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        at_ = at;
        return true;
      }
    }
    return fail(Fault::varint_too_long);
  }

  const char* at_;
  const char* end_;
  const char* start_ = nullptr;
  std::string_view payload_;
  std::uint64_t varint_ = 0;
  std::uint32_t tag_ = 0;
  Fault fault_ = Fault::none;
};

/// Calls `push` for each number of a repeated integer field, packed or not. Call it for every field of the
/// message. False if a packed run cannot be decoded.
template <class Push>
bool for_each_varint(const Fields& field, std::uint32_t number, Push push) {
  if (field.tag() == varint_tag(number)) {
    push(field.varint());
    return true;
  }
  if (field.tag() != bytes_tag(number)) return true;
  const char* at = field.bytes().data();
  const char* const end = at + field.bytes().size();
  while (at < end) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (;; shift += 7) {
      if (at == end || shift >= 70) return false;
      const auto byte = static_cast<unsigned char>(*at++);
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    push(value);
  }
  return true;
}

}  // namespace thence::wire
