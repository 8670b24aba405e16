#include "capture/packed_weight.h"

#include <algorithm>
#include <cstring>

#include "base/half_float.h"

namespace thence::capture {
namespace {

constexpr std::uint64_t most_elements_per_axis = 1 << 30;  // products stay within 64 bits

template <typename Number>
Number number_at(std::string_view data, std::uint64_t index) {
  Number number;
  std::memcpy(&number, data.data() + index * sizeof number, sizeof number);
  return number;
}

bool has_elements(const PackedWeight::Tensor& stored, unsigned width, std::uint64_t elements) {
  return stored.width == width && stored.data.size() == elements * width;
}

bool is_float(const PackedWeight::Tensor& stored) {
  return stored.dtype == "float16" || stored.dtype == "bfloat16" || stored.dtype == "float32";
}

double scale_at(const PackedWeight::Tensor& scales, std::uint64_t index) {
  if (scales.dtype == "float32") return number_at<float>(scales.data, index);
  const auto half = number_at<std::uint16_t>(scales.data, index);
  return scales.dtype == "float16" ? base::from_float16(half) : base::from_bfloat16(half);
}

}  // namespace

bool PackedWeight::is_complete() const {
  const bool has_sizes = outputs > 0 && inputs > 0 && block > 0 && outputs <= most_elements_per_axis &&
                         inputs <= most_elements_per_axis && (bits == 2 || bits == 4 || bits == 8);
  if (!has_sizes || (packs_inputs ? inputs : outputs) % per_word() != 0 || outputs % per_word() != 0)
    return false;
  if (std::any_of(places.begin(), places.end(), [&](unsigned place) { return place >= per_word(); }))
    return false;
  const std::uint64_t count = (inputs + block - 1) / block;
  return has_elements(words, 4, outputs * inputs / per_word()) && is_float(scales) &&
         has_elements(scales, scales.width, count * outputs) &&
         has_elements(zero_points, 4, count * (outputs / per_word())) &&
         (blocks.data.empty() || has_elements(blocks, 4, inputs));
}

std::uint64_t PackedWeight::block_of(std::uint64_t input) const {
  if (blocks.data.empty()) return input / block;
  return std::min<std::uint64_t>(number_at<std::uint32_t>(blocks.data, input), (inputs - 1) / block);
}

std::uint32_t PackedWeight::element(const Tensor& stored, std::uint64_t words_per_row,
                                    std::uint64_t row, std::uint64_t column) const {
  const auto word = number_at<std::uint32_t>(stored.data, row * words_per_row + column / per_word());
  return word >> places[column % per_word()] * bits & ((1u << bits) - 1);
}

double PackedWeight::at(std::uint64_t output, std::uint64_t input) const {
  const std::uint64_t at = block_of(input), packed_outputs = outputs / per_word();
  const std::uint32_t mask = (1u << bits) - 1;
  const std::uint32_t zero = (element(zero_points, packed_outputs, at, output) + zero_point_offset) & mask;
  const std::uint32_t number =
      packs_inputs ? number_at<std::uint32_t>(words.data, input / per_word() * outputs + output) >>
                             places[input % per_word()] * bits &
                         mask
                   : element(words, packed_outputs, input, output);
  return (static_cast<double>(number) - zero) * scale_at(scales, at * outputs + output);
}

}  // namespace thence::capture
