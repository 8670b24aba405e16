// Weights of convolutions in ONNX Runtime's blocked layout (NCHWc): the channels come in blocks of 8 or 16,
// and are padded with zeros to whole blocks.
#include <algorithm>
#include <array>
#include <vector>

#include "dataflow/graph_builder.h"

namespace thence::dataflow {
namespace {

constexpr std::string_view blocked_domain = "com.microsoft.nchwc";
constexpr std::array<std::uint64_t, 2> block_sizes = {16, 8};

std::uint64_t padded(std::uint64_t channels, std::uint64_t block) {
  return (channels + block - 1) / block * block;
}

// The weight of a convolution: output channels, input channels of a group, and elements of the kernel.
struct Filter {
  std::uint64_t outputs = 0, inputs = 0, kernel = 0;
  std::uint64_t elements() const { return outputs * inputs * kernel; }
};

std::uint64_t kernel_elements(const onnx::Node& node) {
  std::uint64_t elements = 1;
  const auto shape = node.attribute("kernel_shape");
  if (!shape || shape->ints.empty()) return 0;
  for (const std::int64_t size : shape->ints) {
    constexpr std::int64_t largest = 1 << 16;
    if (size <= 0 || size > largest) return 0;
    elements *= static_cast<std::uint64_t>(size);
    if (elements > static_cast<std::uint64_t>(largest)) return 0;
  }
  return elements;
}

// Reads a blocked weight in the order in which the reference model stores it.
class BlockedFilter {
 public:
  BlockedFilter(const Constant& stored, Filter shape, std::uint64_t block)
      : stored_(stored), shape_(shape), block_(block) {}

  // Empty if a filter of that shape is not stored like this.
  std::vector<float> elements_of(Filter original) const {
    if (padded(original.outputs, block_) != shape_.outputs || original.kernel != shape_.kernel) return {};
    // Few input channels are not divided into blocks.
    const bool blocks_inputs = original.inputs >= block_;
    if ((blocks_inputs ? padded(original.inputs, block_) : original.inputs) != shape_.inputs) return {};
    std::vector<float> elements;
    elements.reserve(original.elements());
    for (std::uint64_t output = 0; output < original.outputs; ++output)
      for (std::uint64_t input = 0; input < original.inputs; ++input)
        for (std::uint64_t at = 0; at < original.kernel; ++at)
          elements.push_back(
              static_cast<float>(stored_.element(blocks_inputs ? index_in_blocks(output, input, at)
                                                               : index_in_output_blocks(output, input, at))));
    return elements;
  }

 private:
  std::uint64_t index_in_blocks(std::uint64_t output, std::uint64_t input, std::uint64_t at) const {
    const std::uint64_t block = output / block_ * (shape_.inputs / block_) + input / block_;
    return ((block * shape_.kernel + at) * block_ + input % block_) * block_ + output % block_;
  }
  std::uint64_t index_in_output_blocks(std::uint64_t output, std::uint64_t input, std::uint64_t at) const {
    return ((output / block_ * shape_.inputs + input) * shape_.kernel + at) * block_ + output % block_;
  }

  const Constant& stored_;
  const Filter shape_;
  const std::uint64_t block_;
};

std::string_view bytes_of(const std::vector<float>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(float)};
}

WeightMatch find_filter(WeightMatcher& reference, const std::vector<float>& elements, std::uint64_t rows) {
  Constant weight = constant_of(onnx::DataType::float32, bytes_of(elements));
  if (reference.contains(weight.fingerprint)) return {.fingerprint = weight.fingerprint};
  weight.type = onnx::DataType::float32;
  weight.rows = rows;
  weight.stride = weight.columns();
  weight.data = bytes_of(elements);
  return reference.find(weight);
}

// The weight of the reference model; none if weights of several shapes match.
WeightMatch match_filter(WeightMatcher& reference, const Constant& stored, std::uint64_t kernel) {
  const Filter shape{stored.rows, stored.columns() / kernel, kernel};
  WeightMatch found;
  int shapes_left = max_unblocked_shapes;
  for (const std::uint64_t block : block_sizes) {
    if (shape.outputs % block != 0) continue;
    const BlockedFilter blocked(stored, shape, block);
    for (const MatrixShape& matrix : reference.shapes()) {
      if (matrix.columns % kernel != 0) continue;
      const std::vector<float> elements = blocked.elements_of({matrix.rows, matrix.columns / kernel, kernel});
      if (elements.empty()) continue;
      if (shapes_left-- == 0) return {};
      const WeightMatch match = find_filter(reference, elements, matrix.rows);
      if (match.fingerprint == 0) continue;
      if (found.fingerprint != 0 && found.fingerprint != match.fingerprint) return {};
      found = match;
    }
  }
  return found;
}

// A bias is padded with zeros, fewer than a block.
WeightMatch match_bias(const WeightMatcher& reference, const Constant& stored) {
  const std::uint64_t width = stored.data.size() / stored.elements;
  for (std::uint64_t padding = 1; padding < std::min(stored.elements, block_sizes.front()); ++padding) {
    const std::uint64_t count = stored.elements - padding;
    if (stored.element(count) != 0) break;
    const Constant bias = constant_of(stored.type, stored.data.substr(0, count * width));
    if (reference.contains(bias.fingerprint)) return {.fingerprint = bias.fingerprint};
  }
  return {};
}

const Constant* unknown_weight(GraphBuilder& builder, const onnx::Node& node, std::size_t input) {
  const auto inputs = node.inputs();
  const Constant* const stored = inputs.size() > input ? builder.constant(inputs[input]) : nullptr;
  const bool is_unknown = stored != nullptr && stored->is_float && stored->is_readable() &&
                          !stored->is_changed && !builder.reference()->contains(stored->fingerprint);
  return is_unknown && builder.start_unpacking(builder.graph().canonical(inputs[input])) ? stored : nullptr;
}

}  // namespace

void unblock_weight(GraphBuilder& builder, const onnx::Node& node) {
  if (node.op_type() != "Conv" || node.domain() != blocked_domain) return;
  const auto set = [&](std::size_t input, const WeightMatch& match) {
    if (match.fingerprint != 0) builder.set_unpacked(builder.graph().canonical(node.inputs()[input]), match);
  };
  const std::uint64_t kernel = kernel_elements(node);
  if (const Constant* const filter = unknown_weight(builder, node, 1);
      filter != nullptr && kernel > 0 && filter->columns() % kernel == 0)
    set(1, match_filter(*builder.reference(), *filter, kernel));
  if (const Constant* const bias = unknown_weight(builder, node, 2))
    set(2, match_bias(*builder.reference(), *bias));
}

}  // namespace thence::dataflow
