#include "diff/elements.h"

#include <cmath>
#include <limits>

#include "hierarchy/initializer_behind.h"

namespace thence::diff {
namespace {

using onnx::NodeId;
using onnx::none;
using onnx::ValueId;

// The elements of a value that is constant; nothing for others.
std::optional<std::vector<double>> constant_numbers(Side& side, ValueId value) {
  if (value == none) return std::nullopt;
  const Tensor* const tensor = side.constants.of(value);
  if (tensor == nullptr || tensor->elements > max_scales) return std::nullopt;
  const auto elements = Elements::of(*tensor);
  if (!elements) return std::nullopt;
  std::vector<double> numbers(elements->size());
  for (std::uint64_t i = 0; i < numbers.size(); ++i) numbers[i] = (*elements)[i];
  return numbers;
}

std::optional<std::vector<double>> constant_numbers(Side& side, const onnx::Node& node, std::uint32_t input) {
  return input < node.inputs().size() ? constant_numbers(side, node.inputs()[input]) : std::nullopt;
}

// One factor per index, of which either may be the same for all.
std::optional<std::vector<double>> multiply(const std::vector<double>& one,
                                            const std::vector<double>& other) {
  if (one.empty() || other.empty()) return std::nullopt;
  if (one.size() != other.size() && one.size() != 1 && other.size() != 1) return std::nullopt;
  std::vector<double> product(std::max(one.size(), other.size()));
  for (std::size_t i = 0; i < product.size(); ++i)
    product[i] = one[one.size() == 1 ? 0 : i] * other[other.size() == 1 ? 0 : i];
  return product;
}

// The axis of a weight that has one scale per output channel.
std::int64_t channel_axis(const onnx::Node& node, std::size_t rank) {
  const std::string_view op = node.op_type();
  if (op == "DequantizeLinear" || op == "QuantizeLinear") {
    const auto axis = node.attribute("axis");
    const std::int64_t given = axis ? axis->i : 1;
    return given < 0 ? given + static_cast<std::int64_t>(rank) : given;
  }
  if (op == "QLinearConv" || op == "ConvInteger") return 0;
  const auto transposed = node.attribute("transB");
  return transposed && transposed->i != 0 ? 0 : static_cast<std::int64_t>(rank) - 1;
}

// A bias has the product of the scales of the operands that it is added to the product of.
std::optional<std::vector<double>> bias_scales(Side& side, const onnx::Node& node) {
  const weights::QuantisedInput* const data = weights::quantised_input(node.op_type(), 0);
  const weights::QuantisedInput* const weight = weights::quantised_input(node.op_type(), 3);
  if (data == nullptr || weight == nullptr) return std::nullopt;
  const auto one = constant_numbers(side, node, data->scale);
  const auto other = constant_numbers(side, node, weight->scale);
  return one && other ? multiply(*one, *other) : std::nullopt;
}

struct Reading {
  NodeId node;
  std::size_t input;
};

// Where a constant is read: by the node itself, or by a dequantisation before it.
Reading reading_of(const Side& side, NodeId id, std::size_t input) {
  Reading reading{id, input};
  for (int step = 0; step < max_identity_chain; ++step) {
    const auto inputs = side.model.node(reading.node).inputs();
    if (reading.input >= inputs.size() || inputs[reading.input] == none) break;
    const onnx::Producer producer = side.model.producer(inputs[reading.input]);
    if (producer.kind != onnx::Producer::Kind::node ||
        side.model.node(producer.index).op_type() == "Constant")
      break;
    reading = {producer.index, 0};
    if (side.model.node(producer.index).op_type() == "DequantizeLinear") break;
  }
  return reading;
}

}  // namespace

const InputQuantisations::Scaling* InputQuantisations::scaling_of(ValueId weight) {
  if (!scaling_by_weight_) {
    scaling_by_weight_.emplace();
    const auto roles = weights::find_quantisation_roles(side_.model);
    for (std::uint32_t i = 0; i < roles.size(); ++i)
      for (const std::uint32_t scaled : roles[i].weights) {
        Scaling& scaling = (*scaling_by_weight_)[scaled];
        std::uint32_t& place =
            roles[i].role == weights::Transform::scale_of ? scaling.scale : scaling.zero_point;
        if (place == none) place = i;
      }
  }
  const auto found = scaling_by_weight_->find(hierarchy::initializer_behind(side_.model, weight));
  return found == scaling_by_weight_->end() || found->second.scale == none ? nullptr : &found->second;
}

std::optional<std::vector<double>> InputQuantisations::numbers_of(std::uint32_t initializer) {
  return constant_numbers(side_, side_.model.initializers()[initializer].value);
}

// Products of integers are scaled afterwards: the scales of both operands are multiplied first.
std::optional<std::vector<double>> InputQuantisations::scales_after_product(const onnx::Node& node,
                                                                            std::uint32_t input) {
  const Scaling* const scaling = scaling_of(node.inputs()[input]);
  return scaling == nullptr ? std::nullopt : numbers_of(scaling->scale);
}

// What is looked up in a table is dequantised afterwards, if the whole table has one scale.
InputQuantisation InputQuantisations::of_table(const onnx::Node& lookup) {
  const Scaling* const scaling = scaling_of(lookup.inputs()[0]);
  if (scaling == nullptr) return {};
  InputQuantisation result{.is_quantised = true};
  const auto scales = numbers_of(scaling->scale);
  if (!scales || scales->size() != 1) return result;
  result.quantisation.scales = *scales;
  if (scaling->zero_point != none) {
    const auto zero_points = numbers_of(scaling->zero_point);
    if (!zero_points || zero_points->size() != 1) return result;
    result.quantisation.zero_points = *zero_points;
  }
  result.is_known = true;
  return result;
}

std::optional<std::vector<double>> InputQuantisations::scales_of(const onnx::Node& node,
                                                                 const weights::QuantisedInput& input) {
  if (input.scale != none) return constant_numbers(side_, node, input.scale);
  return input.zero_point == none ? bias_scales(side_, node) : scales_after_product(node, input.tensor);
}

InputQuantisation InputQuantisations::of(NodeId id, std::size_t input) {
  const Reading reading = reading_of(side_, id, input);
  const onnx::Node node = side_.model.node(reading.node);
  const weights::QuantisedInput* const found = weights::quantised_input(node.op_type(), reading.input);
  if (found == nullptr)
    return node.op_type() == "Gather" && reading.input == 0 && !node.inputs().empty() ? of_table(node)
                                                                                      : InputQuantisation();
  InputQuantisation result{.is_quantised = true};
  const auto scales = scales_of(node, *found);
  if (!scales || scales->empty()) return result;
  Quantisation& quantisation = result.quantisation;
  quantisation.scales = *scales;
  if (!read_zero_points(node, found->zero_point, quantisation)) return result;
  const Tensor* const tensor = side_.weight(node.inputs()[reading.input]);
  const std::size_t rank = tensor == nullptr ? 1 : tensor->dims.size();
  quantisation.axis = rank == 1 ? 0 : channel_axis(node, rank);
  if (const auto block = node.attribute("block_size"); block && block->i > 0)
    quantisation.block = static_cast<std::uint64_t>(block->i);
  result.is_known = true;
  return result;
}

// Returns false if there are some that cannot be read.
bool InputQuantisations::read_zero_points(const onnx::Node& node, std::uint32_t input,
                                          Quantisation& quantisation) {
  if (input >= node.inputs().size() || node.inputs()[input] == none) return true;
  const auto found = constant_numbers(side_, node, input);
  const std::size_t count = quantisation.scales.size();
  if (!found || found->empty() || (found->size() != count && found->size() != 1)) return false;
  quantisation.zero_points = *found;
  quantisation.zero_points.resize(count, found->front());
  return true;
}

std::optional<Elements> Elements::of(const Tensor& tensor, const Quantisation* quantisation) {
  if (!tensor.is_read) return std::nullopt;
  Elements elements;
  elements.size_ = tensor.elements;
  std::string_view data = tensor.raw;
  if (data.empty() && tensor.elements > 0) {
    elements.copy_ = std::make_shared<const std::string>(stored_elements(tensor));
    data = *elements.copy_;
  }
  elements.constant_.type = tensor.type;
  elements.constant_.rows = 1;
  elements.constant_.data = data;
  const unsigned bits = onnx::bits_per_element(tensor.type);
  if (!elements.constant_.is_readable() || bits == 0 || data.size() / bits < tensor.elements / 8 ||
      data.size() * 8 / bits < tensor.elements)
    return std::nullopt;
  if (quantisation != nullptr && !elements.set_quantisation(tensor, *quantisation)) return std::nullopt;
  return elements;
}

bool Elements::set_quantisation(const Tensor& tensor, const Quantisation& quantisation) {
  scales_ = quantisation.scales;
  zero_points_ = quantisation.zero_points;
  if (scales_.size() == 1) return true;
  const auto rank = static_cast<std::int64_t>(tensor.dims.size());
  if (quantisation.axis < 0 || quantisation.axis >= rank) return false;
  length_ = static_cast<std::uint64_t>(tensor.dims[static_cast<std::size_t>(quantisation.axis)]);
  for (auto i = static_cast<std::size_t>(quantisation.axis) + 1; i < tensor.dims.size(); ++i)
    inner_ *= static_cast<std::uint64_t>(tensor.dims[i]);
  block_ = quantisation.block;
  if (size_ == 0 || length_ == 0) return true;
  const std::uint64_t expected = block_ == 0 ? length_ : size_ / length_ * ((length_ - 1) / block_ + 1);
  return scales_.size() == expected;
}

bool are_rounded(const Elements& numbers, const Elements& quantised) {
  if (numbers.size() != quantised.size()) return false;
  constexpr auto most = static_cast<double>(std::numeric_limits<std::int32_t>::max());
  for (std::uint64_t i = 0; i < numbers.size(); ++i) {
    const double scale = quantised.scale(i), stored = quantised.stored(i);
    if (!(scale > 0)) return false;
    const double exact = numbers[i] / scale + quantised.zero_point(i);
    const bool is_cut = std::abs(stored) >= most && std::abs(exact) >= most;
    // A negated comparison, so that a number that is none is a difference.
    if (!is_cut && !(std::abs(exact - stored) <= max_rounding_steps + std::abs(stored) * float32_rounding))
      return false;
  }
  return true;
}

}  // namespace thence::diff
