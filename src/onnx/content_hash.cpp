#include "onnx/content_hash.h"

#include <xxhash.h>

#include <charconv>
#include <cstring>

#include "base/format.h"
#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::onnx {
namespace {

// Every bit of the result depends on every bit of x.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

constexpr std::uint32_t mix(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352d;
  x = (x ^ (x >> 15)) * 0x846ca68b;
  return x ^ (x >> 16);
}

// Most weights have elements of at most four bytes. Two sums of 32-bit hashes instead of one 64-bit sum allow
// vector instructions.
template <class Element>
  requires(sizeof(Element) <= 4)
std::uint64_t sum_element_hashes(std::string_view data) {
  std::uint32_t first_sum = 0, second_sum = 0;
  const std::size_t count = data.size() / sizeof(Element);
  for (std::size_t i = 0; i < count; ++i) {
    Element element;
    std::memcpy(&element, data.data() + i * sizeof element, sizeof element);
    first_sum += mix(static_cast<std::uint32_t>(element) + 0x9e3779b9u);
    second_sum += mix(static_cast<std::uint32_t>(element) ^ 0x7f4a7c15u);
  }
  return std::uint64_t{first_sum} << 32 | second_sum;
}

template <class Element>
  requires(sizeof(Element) > 4)
std::uint64_t sum_element_hashes(std::string_view data) {
  std::uint64_t sum = 0;
  const std::size_t count = data.size() / sizeof(Element);
  for (std::size_t i = 0; i < count; ++i) {
    Element element;
    std::memcpy(&element, data.data() + i * sizeof element, sizeof element);
    sum += mix(static_cast<std::uint64_t>(element) + 0x9e3779b97f4a7c15);
  }
  return sum;
}

std::uint64_t sum_element_hashes(std::string_view data, unsigned width) {
  switch (width) {
    case 1: return sum_element_hashes<std::uint8_t>(data);
    case 2: return sum_element_hashes<std::uint16_t>(data);
    case 4: return sum_element_hashes<std::uint32_t>(data);
    default: return sum_element_hashes<std::uint64_t>(data);  // including both halves of complex numbers
  }
}

// Small elements have two sums of 32 bits, which must not carry into each other.
std::uint64_t add_sums(std::uint64_t a, std::uint64_t b, unsigned width) {
  if (width > 4) return a + b;
  return ((a >> 32) + (b >> 32)) << 32 | ((a + b) & 0xffffffff);
}

std::uint64_t finish_sum(std::uint64_t sum, std::uint64_t elements, unsigned width) {
  return mix(sum ^ (elements << 8) ^ width);
}

}  // namespace

ContentHash hash_content(std::string_view data, unsigned width) {
  ContentHash content;
  content.elements = data.size() / width;
  content.exact = XXH3_64bits_withSeed(data.data(), data.size(), width);
  content.unordered = finish_sum(sum_element_hashes(data, width), content.elements, width);
  return content;
}

ContentHash hash_content(std::span<const std::string_view> pieces, unsigned width) {
  if (pieces.size() == 1) return hash_content(pieces.front(), width);
  ContentHash content;
  std::uint64_t sum = 0;
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_64bits_reset_withSeed(&state, width);
  for (const std::string_view piece : pieces) {
    content.elements += piece.size() / width;
    XXH3_64bits_update(&state, piece.data(), piece.size());
    sum = add_sums(sum, sum_element_hashes(piece, width), width);
  }
  content.exact = XXH3_64bits_digest(&state);
  content.unordered = finish_sum(sum, content.elements, width);
  return content;
}

std::optional<ContentHash> hash_content(const onnx::Model& model, const onnx::Initializer& initializer) {
  if (initializer.sparse) return std::nullopt;
  const onnx::TensorView tensor = model.tensor(initializer);
  const unsigned width = bytes_per_element(tensor.data_type);
  const std::optional<std::uint64_t> elements = tensor.elements();
  if (width == 0 || tensor.external || !elements || *elements == 0) return std::nullopt;
  std::string_view data;
  for (wire::Fields field(initializer.bytes); field.next();)
    if (field.tag() == wire::bytes_tag(onnx::TensorField::raw_data) ||
        (field.tag() == wire::bytes_tag(onnx::TensorField::float_data) && width == 4 && data.empty()))
      data = field.bytes();
  if (data.size() / width != *elements || data.size() % width != 0) return std::nullopt;
  return hash_content(data, width);
}

std::string format_hash(std::uint64_t hash) { return base::format("{:016x}", hash); }

std::optional<std::uint64_t> parse_hash(std::string_view text) {
  std::uint64_t hash = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (text.size() != 16 || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
    return std::nullopt;
  return hash;
}

}  // namespace thence::onnx
