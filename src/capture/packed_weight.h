// PackedWeight: the elements of a matrix that a checkpoint stores in few bits, as quantisers write them: several
// elements in each word of 32 bits, with a scale and a zero point for each block of inputs of an output.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace thence::capture {

struct PackedWeight {
  std::uint64_t outputs = 0, inputs = 0;  // the rows and the columns of the matrix
  unsigned bits = 4;                      // per element: 2, 4 or 8
  bool packs_inputs = false;              // a word has inputs of one output; else outputs of one input
  /// The place in its word of each element that shares it.
  std::array<std::uint8_t, 16> places{};
  unsigned zero_point_offset = 0;  // what is added to stored zero points
  std::uint64_t block = 0;         // inputs that share a scale
  struct Tensor {
    std::string_view data, dtype;  // the type by PyTorch's name
    unsigned width = 0;            // bytes per element
  };
  Tensor words, scales, zero_points;
  Tensor blocks;  // the number of the block of each input; without data: blocks are consecutive inputs

  unsigned per_word() const { return 32 / bits; }
  /// Whether all tensors have the types and sizes that follow from the numbers above.
  bool is_complete() const;
  double at(std::uint64_t output, std::uint64_t input) const;

 private:
  std::uint64_t block_of(std::uint64_t input) const;
  /// An element of a matrix of words whose rows have several elements per word.
  std::uint32_t element(const Tensor& stored, std::uint64_t words_per_row, std::uint64_t row,
                        std::uint64_t column) const;
};

}  // namespace thence::capture
