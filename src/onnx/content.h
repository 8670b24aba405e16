// What a tensor's data looks like, for recognising a parameter whose name is gone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "onnx/model.h"

namespace thence::onnx {

/// Hashes of a tensor's elements, streamed.
struct Content {
  std::uint64_t exact = 0;      // over the bytes in order
  std::uint64_t unordered = 0;  // over the elements in any order: it survives transposes
  std::uint64_t elements = 0;
};

/// Of elements of `width` bytes (1, 2, 4, 8 or 16), as they lie in memory on a little-endian machine.
Content content_of(std::string_view data, unsigned width);

/// Of an initializer's data where that lies in the file itself, as raw bytes or as floats; empty for data
/// that lies elsewhere, is too short for its shape, or of a type whose elements are smaller than a byte.
std::optional<Content> content_of(const onnx::Model& model, const onnx::Initializer& initializer);

/// 16 hexadecimal digits, as capture files have them, and back.
std::string hash_text(std::uint64_t hash);
std::optional<std::uint64_t> read_hash(std::string_view text);

}  // namespace thence::onnx
