// Hashes of tensor data, to recognise a parameter that was renamed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "onnx/model.h"

namespace thence::onnx {

/// Hashes of the elements of a tensor, computed as a stream.
struct ContentHash {
  std::uint64_t exact = 0;      // of the bytes in order
  std::uint64_t unordered = 0;  // of the elements in any order, so that a transpose keeps it
  std::uint64_t elements = 0;
};

/// Hashes elements of `width` bytes (1, 2, 4, 8 or 16) in little-endian byte order.
ContentHash hash_content(std::string_view data, unsigned width);
/// The same for data in several pieces, each of whole elements.
ContentHash hash_content(std::span<const std::string_view> pieces, unsigned width);

/// Hashes the data of an initializer that is stored in the model file, as raw bytes or as floats. Empty for
/// external data, for data too short for its shape, and for elements smaller than a byte.
std::optional<ContentHash> hash_content(const onnx::Model& model, const onnx::Initializer& initializer);

/// Converts a hash to the 16 hexadecimal digits used in capture files, and back.
std::string format_hash(std::uint64_t hash);
std::optional<std::uint64_t> parse_hash(std::string_view text);

}  // namespace thence::onnx
