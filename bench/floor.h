// The floor: the least that any reader of a model has to do. A bare loop over the field headers, going
// into the same messages as the survey does and keeping nothing; it checks only that it stays inside.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "onnx/layout.h"

namespace thence::bench {

struct Floor {
  const wire::Layout& layout = onnx::layout();
  std::uint64_t fields = 0;
  bool sound = true;

  void walk(const char* at, const char* end, std::uint8_t kind) {
    const auto& inner = layout.messages[kind];
    while (at < end) {
      const std::uint64_t tag = varint(at, end);
      ++fields;
      std::uint64_t size = 0;
      switch (tag & 7) {
        case 0: varint(at, end); continue;
        case 1: size = 8; break;
        case 2: size = varint(at, end); break;
        case 5: size = 4; break;
        default: sound = false; return;
      }
      if (size > static_cast<std::uint64_t>(end - at)) {
        sound = false;
        return;
      }
      const std::uint64_t field = tag >> 3;
      if ((tag & 7) == 2 && field < wire::counted_fields && is_message(inner[field]))
        walk(at, at + size, inner[field]);
      at += size;
    }
  }

 private:
  static bool is_message(std::uint8_t held) {
    return held != wire::unchecked_bytes && held < static_cast<std::uint8_t>(onnx::MessageKind::count);
  }
  static std::uint64_t varint(const char*& at, const char* end) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at++);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
};

inline Floor walk_floor(std::string_view bytes) {
  Floor floor;
  floor.walk(bytes.data(), bytes.data() + bytes.size(), static_cast<std::uint8_t>(onnx::MessageKind::model));
  return floor;
}

}  // namespace thence::bench
