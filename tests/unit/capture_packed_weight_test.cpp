// Matrices in few bits, as quantisers store them.
#include "capture/packed_weight.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace thence::capture {
namespace {

constexpr unsigned outputs = 16, inputs = 8, block = 4, per_word = 8;

unsigned number_of(unsigned output, unsigned input) { return (output * 5 + input * 3) % 16; }
unsigned zero_of(unsigned output, unsigned at) { return 1 + (output + at) % 15; }
float scale_of(unsigned output, unsigned at) { return 0.5f + static_cast<float>(output * 2 + at); }

template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

class PackedWeightTest : public testing::Test {
 protected:
  void make(bool packs_inputs, const std::vector<std::uint8_t>& places, unsigned offset) {
    std::vector<std::uint32_t> word_list((std::size_t{outputs} * inputs) / per_word);
    for (unsigned output = 0; output < outputs; ++output)
      for (unsigned input = 0; input < inputs; ++input) {
        const std::size_t at = packs_inputs ? input / per_word * outputs + output
                                            : input * (outputs / per_word) + output / per_word;
        const unsigned place = places.at((packs_inputs ? input : output) % per_word);
        word_list.at(at) |= number_of(output, input) << place * 4;
      }
    std::vector<std::uint32_t> zero_list(std::size_t{inputs} / block * (outputs / per_word));
    std::vector<float> scale_list;
    for (unsigned at = 0; at < inputs / block; ++at)
      for (unsigned output = 0; output < outputs; ++output) {
        zero_list.at(at * (outputs / per_word) + output / per_word) |=
            ((zero_of(output, at) - offset) & 15) << places.at(output % per_word) * 4;
        scale_list.push_back(scale_of(output, at));
      }
    words_ = bytes_of(word_list), zeros_ = bytes_of(zero_list), scales_ = bytes_of(scale_list);
    packed_ = {.outputs = outputs,
               .inputs = inputs,
               .bits = 4,
               .packs_inputs = packs_inputs,
               .zero_point_offset = offset,
               .block = block,
               .words = {words_, "int32", 4},
               .scales = {scales_, "float32", 4},
               .zero_points = {zeros_, "int32", 4}};
    std::copy(places.begin(), places.end(), packed_.places.begin());
  }

  void expect_all_elements() const {
    for (unsigned output = 0; output < outputs; ++output)
      for (unsigned input = 0; input < inputs; ++input) {
        const unsigned at = input / block;
        EXPECT_EQ(packed_.at(output, input),
                  (static_cast<double>(number_of(output, input)) - zero_of(output, at)) * scale_of(output, at))
            << output << "," << input;
      }
  }

  std::string words_, zeros_, scales_;
  PackedWeight packed_;
};

TEST_F(PackedWeightTest, WordsOfInputsInOrder) {
  make(true, {0, 1, 2, 3, 4, 5, 6, 7}, 1);
  ASSERT_TRUE(packed_.is_complete());
  expect_all_elements();
}

TEST_F(PackedWeightTest, WordsOfOutputsInAnotherOrder) {
  make(false, {0, 4, 1, 5, 2, 6, 3, 7}, 0);
  ASSERT_TRUE(packed_.is_complete());
  expect_all_elements();
}

TEST_F(PackedWeightTest, BlocksMayBeListed) {
  make(true, {0, 1, 2, 3, 4, 5, 6, 7}, 0);
  const std::string listed = bytes_of(std::vector<std::uint32_t>{1, 1, 0, 0, 1, 1, 0, 99});
  packed_.blocks = {listed, "int32", 4};
  ASSERT_TRUE(packed_.is_complete());
  EXPECT_EQ(packed_.at(3, 0), (static_cast<double>(number_of(3, 0)) - zero_of(3, 1)) * scale_of(3, 1));
  EXPECT_EQ(packed_.at(3, 2), (static_cast<double>(number_of(3, 2)) - zero_of(3, 0)) * scale_of(3, 0));
  EXPECT_EQ(packed_.at(3, 7), (static_cast<double>(number_of(3, 7)) - zero_of(3, 1)) * scale_of(3, 1))
      << "a number past the last block counts as the last one";
}

TEST_F(PackedWeightTest, TensorsOfOtherSizesAreRefused) {
  make(true, {0, 1, 2, 3, 4, 5, 6, 7}, 0);
  const PackedWeight good = packed_;
  const auto refuses = [&](auto change) {
    PackedWeight bad = good;
    change(bad);
    return !bad.is_complete();
  };
  EXPECT_TRUE(refuses([](PackedWeight& w) { w.bits = 3; }));
  EXPECT_TRUE(refuses([](PackedWeight& w) { w.bits = 8; }));
  EXPECT_TRUE(refuses([](PackedWeight& w) { w.block = 0; }));
  EXPECT_TRUE(refuses([](PackedWeight& w) { w.block = 2; }));
  EXPECT_TRUE(refuses([](PackedWeight& w) { w.outputs = 32; }));
  EXPECT_TRUE(refuses([](PackedWeight& w) { w.inputs = std::uint64_t{1} << 40; }));
  EXPECT_TRUE(refuses([](PackedWeight& w) { w.places[3] = 8; }));
  EXPECT_TRUE(refuses([](PackedWeight& w) { w.words.data.remove_suffix(1); }));
  EXPECT_TRUE(refuses([](PackedWeight& w) { w.scales.dtype = "int32"; }));
  EXPECT_TRUE(refuses([](PackedWeight& w) { w.zero_points.data = {}; }));
  EXPECT_TRUE(refuses([](PackedWeight& w) { w.blocks = {"1234", "int32", 4}; }));
}

}  // namespace
}  // namespace thence::capture
