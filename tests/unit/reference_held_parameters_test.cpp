// Parameters of a reference model are recognised in what tools make of them.
#include "reference/held_parameters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "onnx_parts.h"
#include "reference/samples_text.h"

namespace thence::reference {
namespace {

using Floats = std::vector<float>;
constexpr std::uint64_t width = 32;  // of every matrix

// Numbers between -1 and 1.
Floats numbers(unsigned seed, std::uint64_t count) {
  Floats values(count);
  std::uint32_t state = seed * 2654435761u + 1;
  for (float& value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1;
  }
  return values;
}

std::string_view bytes_of(const Floats& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

Floats transposed(const Floats& values, std::uint64_t rows) {
  const std::uint64_t columns = values.size() / rows;
  Floats other(values.size());
  for (std::uint64_t i = 0; i < values.size(); ++i) other[i % columns * rows + i / columns] = values[i];
  return other;
}

Floats joined(std::initializer_list<Floats> parts) {
  Floats all;
  for (const Floats& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

test::Message tensor(std::string_view name, std::vector<std::uint64_t> dims, std::string_view data,
                     std::uint64_t type = 1) {
  test::Message made;
  for (const std::uint64_t size : dims) made.number(onnx::TensorField::dims, size);
  return made.number(onnx::TensorField::data_type, type)
      .text(onnx::TensorField::name, name)
      .text(onnx::TensorField::raw_data, data);
}

test::Message integer(std::string_view name, std::uint64_t value) {
  return test::Message().text(onnx::AttributeField::name, name).number(onnx::AttributeField::i, value);
}

class HeldParametersTest : public testing::Test {
 protected:
  // Three matrices with 16, 8 and 8 rows of two layers, one with 24 rows, and a vector.
  HeldParametersTest() {
    for (const unsigned layer : {0u, 1u}) {
      const std::string path = "layers." + std::to_string(layer);
      add(path + ".q.weight", {16, width});
      add(path + ".k.weight", {8, width});
      add(path + ".v.weight", {8, width});
      add(path + ".both.weight", {24, width});
      add(path + ".norm.weight", {width});
    }
  }

  void add(const std::string& path, const std::vector<std::int64_t>& dims) {
    std::uint64_t count = 1;
    for (const std::int64_t size : dims) count *= static_cast<std::uint64_t>(size);
    values_.push_back(numbers(static_cast<unsigned>(values_.size()), count));
    capture::CapturedParameter& parameter = parameters_.emplace_back();
    parameter.path = path;
    parameter.dims = dims;
    parameter.has_dims = true;
    parameter.dtype = "float32";
    const std::string text = samples_text(bytes_of(values_.back()), count, "float32");
    for (std::size_t at = 0; at < text.size(); at += 4)
      parameter.samples.push_back(static_cast<std::uint16_t>(std::stoul(text.substr(at, 4), nullptr, 16)));
  }

  // "paths, joined by '+'", then "transposed" or "part".
  std::string held(const test::Message& initializer, const test::Message& node = {}) const {
    test::Message graph;
    if (!node.bytes().empty()) graph.inner(onnx::GraphField::node, node);
    graph.inner(onnx::GraphField::initializer, initializer);
    for (const test::Message& each : beside_) graph.inner(onnx::GraphField::initializer, each);
    const test::ReadModel read(test::model(graph));
    const HeldParameters found = find_held_parameters(*read.result, parameters_);
    std::string text;
    for (const std::uint32_t each : found.by_initializer.front().parameters)
      text += (text.empty() ? "" : "+") + parameters_[each].path;
    if (found.by_initializer.front().is_transposed) text += " transposed";
    if (found.by_initializer.front().is_part) text += " part";
    return text;
  }

  std::vector<Floats> values_;
  std::vector<capture::CapturedParameter> parameters_;
  std::vector<test::Message> beside_;  // scales
};

TEST_F(HeldParametersTest, FindsWhatWasRenamed) {
  EXPECT_EQ(held(tensor("w", {16, width}, bytes_of(values_[5]))), "layers.1.q.weight");
  EXPECT_EQ(held(tensor("w", {width}, bytes_of(values_[9]))), "layers.1.norm.weight");
}

TEST_F(HeldParametersTest, FindsWhatWasTransposed) {
  EXPECT_EQ(held(tensor("w", {width, 16}, bytes_of(transposed(values_[0], 16)))),
            "layers.0.q.weight transposed");
}

// Alone, 16 numbers are like a part of some parameter by chance.
TEST_F(HeldParametersTest, FindsBiasesBesidePartsOfWeights) {
  add("layers.1.both.bias", {64});
  const Floats& both = values_[8];
  const Floats bias(values_.back().begin() + 16, values_.back().begin() + 32);
  beside_.push_back(tensor("k.weight", {8, width}, bytes_of(Floats(both.begin(), both.begin() + 8 * width))));
  EXPECT_EQ(held(tensor("k.bias", {16}, bytes_of(bias))), "layers.1.both.bias part");
  EXPECT_EQ(held(tensor("other.bias", {16}, bytes_of(bias))), "");
}

// Two heads of eight rows, whose halves the file interleaves.
TEST_F(HeldParametersTest, FindsInterleavedHalves) {
  constexpr std::uint64_t head = 8;
  Floats rotated;
  for (std::uint64_t row = 0; row < 16; ++row) {
    const std::uint64_t within = row % head, from = row - within + within / 2 + within % 2 * head / 2;
    const auto first = values_[5].begin() + static_cast<std::ptrdiff_t>(from * width);
    rotated.insert(rotated.end(), first, first + width);
  }
  EXPECT_EQ(held(tensor("w", {16, width}, bytes_of(rotated))), "layers.1.q.weight transposed");
  EXPECT_EQ(held(tensor("w", {width, 16}, bytes_of(transposed(rotated, 16)))),
            "layers.1.q.weight transposed");
}

TEST_F(HeldParametersTest, FindsANormStoredWithAnOffset) {
  Floats norm = values_[4];
  for (float& each : norm) each += 1;
  EXPECT_EQ(held(tensor("w", {width}, bytes_of(norm))), "layers.0.norm.weight");
}

TEST_F(HeldParametersTest, FindsWhatWasJoined) {
  const Floats rows = joined({values_[5], values_[6], values_[7]});
  EXPECT_EQ(held(tensor("w", {32, width}, bytes_of(rows))),
            "layers.1.q.weight+layers.1.k.weight+layers.1.v.weight");
  EXPECT_EQ(held(tensor("w", {width, 32}, bytes_of(transposed(rows, 32)))),
            "layers.1.q.weight+layers.1.k.weight+layers.1.v.weight transposed");
}

TEST_F(HeldParametersTest, FindsWhatWasCut) {
  const Floats& both = values_[8];
  const Floats first(both.begin(), both.begin() + 12 * width), second(both.begin() + 12 * width, both.end());
  EXPECT_EQ(held(tensor("w", {12, width}, bytes_of(first))), "layers.1.both.weight part");
  EXPECT_EQ(held(tensor("w", {width, 12}, bytes_of(transposed(second, 12)))),
            "layers.1.both.weight transposed part");
}

// The rows of query, key and value follow one another for each of four heads.
TEST_F(HeldParametersTest, FindsWhatWasCutByHeads) {
  constexpr std::size_t heads = 4, rows = 2;  // of a head, for each of the three
  for (std::size_t third = 0; third < 3; ++third) {
    Floats cut;
    for (std::size_t head = 0; head < heads; ++head) {
      const auto first = values_[3].begin() + static_cast<std::ptrdiff_t>((head * 3 + third) * rows * width);
      cut.insert(cut.end(), first, first + static_cast<std::ptrdiff_t>(rows * width));
    }
    EXPECT_EQ(held(tensor("w", {heads * rows, width}, bytes_of(cut))), "layers.0.both.weight part") << third;
  }
}

TEST_F(HeldParametersTest, FindsWholeWeightsBeforeItLooksForParts) {
  test::Message graph;
  graph.inner(onnx::GraphField::initializer, tensor("u", {4, width}, bytes_of(numbers(78, 4 * width))))
      .inner(onnx::GraphField::initializer, tensor("w", {16, width}, bytes_of(values_[5])));
  const test::ReadModel read(test::model(graph));
  constexpr std::size_t comparisons = 40;  // less than the search for a part needs
  const HeldParameters found = find_held_parameters(*read.result, parameters_, comparisons);
  EXPECT_FALSE(found.by_initializer[0].is_known());
  EXPECT_TRUE(found.by_initializer[1].is_known());
}

TEST_F(HeldParametersTest, LeavesParametersOpenWhoseDataIsTooShort) {
  parameters_[0].samples.clear();
  parameters_[0].pieces = {bytes_of(values_[0]).substr(0, 12)};
  parameters_[0].width = sizeof(float);
  EXPECT_EQ(held(tensor("w", {16, width}, bytes_of(values_[0]))), "");
}

// Four bits with a scale and a zero point for each block of 16.
TEST_F(HeldParametersTest, FindsWhatWasPackedInBlocks) {
  constexpr std::uint64_t block = 16, rows = 16, blocks = rows * width / block;
  const Floats& weight = values_[0];
  std::string packed, zero_points(blocks / 2, '\0');
  Floats scales;
  for (std::uint64_t at = 0; at < blocks; ++at) {
    const auto [least, most] =
        std::minmax_element(weight.begin() + at * block, weight.begin() + (at + 1) * block);
    const float scale = (*most - *least) / 15;
    const int zero = static_cast<int>(std::lround(-*least / scale));
    scales.push_back(scale);
    zero_points[at / 2] = static_cast<char>(zero_points[at / 2] | zero << (at % 2 * 4));
    for (std::uint64_t i = 0; i < block; i += 2) {
      const auto four = [&](std::uint64_t of) {
        return std::clamp(static_cast<int>(std::lround(weight[at * block + of] / scale)) + zero, 0, 15);
      };
      packed.push_back(static_cast<char>(four(i) | four(i + 1) << 4));
    }
  }
  beside_ = {tensor("s", {blocks}, bytes_of(scales)), tensor("z", {blocks / 2}, zero_points, 2)};
  test::Message product = test::node("MatMulNBits", {"x", "w", "s", "z"}, {"y"});
  for (const auto& [name, value] : {std::pair("K", width), std::pair("N", rows),
                                    std::pair("block_size", block), std::pair("bits", std::uint64_t{4})})
    product.inner(onnx::NodeField::attribute, integer(name, value));
  EXPECT_EQ(held(tensor("w", {rows, width / block, block / 2}, packed, 2), product), "layers.0.q.weight");
}

TEST_F(HeldParametersTest, LeavesUnrelatedAndUniformWeightsOpen) {
  EXPECT_EQ(held(tensor("layers.0.q.weight", {16, width}, bytes_of(numbers(77, 16 * width)))), "");
  EXPECT_EQ(held(tensor("w", {width}, bytes_of(Floats(width, 1)))), "");
  EXPECT_EQ(held(tensor("w", {width, 4}, bytes_of(numbers(78, 4 * width)))), "");
}

// Equal weights are told apart by the name alone.
TEST_F(HeldParametersTest, UsesTheNameOfEqualParameters) {
  add("copy.weight", {16, width});
  values_.back() = values_[0];
  parameters_.back().samples = parameters_[0].samples;
  EXPECT_EQ(held(tensor("copy.weight", {16, width}, bytes_of(values_[0]))), "copy.weight");
}

}  // namespace
}  // namespace thence::reference
