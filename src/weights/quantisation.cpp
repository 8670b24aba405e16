#include "weights/quantisation.h"

#include <algorithm>
#include <unordered_map>

#include "base/grouped.h"
#include "hierarchy/initializer_behind.h"
#include "weights/consumers.h"
#include "weights/limits.h"

namespace thence::weights {
namespace {

constexpr std::uint32_t no_input = onnx::none;

// As ONNX and ONNX Runtime document their operators. `no_input` as the tensor: the operator's result.
constexpr QuantisedInput quantised_inputs[] = {
    {"QuantizeLinear", 0, 1, 2},
    {"DequantizeLinear", 0, 1, 2},
    {"QLinearConv", 0, 1, 2},
    {"QLinearConv", 3, 4, 5},
    {"QLinearConv", 8, no_input, no_input},
    {"QLinearConv", no_input, 6, 7},
    {"QLinearMatMul", 0, 1, 2},
    {"QLinearMatMul", 3, 4, 5},
    {"QLinearMatMul", no_input, 6, 7},
    {"QGemm", 0, 1, 2},
    {"QGemm", 3, 4, 5},
    {"QGemm", 6, no_input, no_input},
    {"QGemm", no_input, 7, 8},
    {"QLinearAdd", 0, 1, 2},
    {"QLinearAdd", 3, 4, 5},
    {"QLinearAdd", no_input, 6, 7},
    {"QLinearMul", 0, 1, 2},
    {"QLinearMul", 3, 4, 5},
    {"QLinearMul", no_input, 6, 7},
    {"QLinearWhere", 1, 2, 3},
    {"QLinearWhere", 4, 5, 6},
    {"QLinearWhere", no_input, 7, 8},
    {"QLinearSigmoid", 0, 1, 2},
    {"QLinearSigmoid", no_input, 3, 4},
    {"QLinearLeakyRelu", 0, 1, 2},
    {"QLinearLeakyRelu", no_input, 3, 4},
    {"QLinearSoftmax", 0, 1, 2},
    {"QLinearSoftmax", no_input, 3, 4},
    {"QLinearAveragePool", 0, 1, 2},
    {"QLinearAveragePool", no_input, 3, 4},
    {"QLinearGlobalAveragePool", 0, 1, 2},
    {"QLinearGlobalAveragePool", no_input, 3, 4},
    {"QLinearReduceMean", 0, 1, 2},
    {"QLinearReduceMean", no_input, 3, 4},
    {"MatMulInteger", 0, no_input, 2},
    {"MatMulInteger", 1, no_input, 3},
    {"ConvInteger", 0, no_input, 2},
    {"ConvInteger", 1, no_input, 3},
    {"DynamicQuantizeMatMul", 1, 2, 3},
    {"MatMulIntegerToFloat", 0, 2, 4},
    {"MatMulIntegerToFloat", 1, 3, 5},
    {"DynamicQuantizeLSTM", 1, 8, 9},
    {"DynamicQuantizeLSTM", 2, 10, 11},
    {"QAttention", 0, 3, 6},
    {"QAttention", 1, 4, 7},
    {"MatMulNBits", 1, 2, 3},
    {"MatMulBnb4", 1, 2, no_input},
    {"GatherBlockQuantized", 0, 2, 3},
    {"QMoE", 2, 3, 11},
    {"QMoE", 5, 6, 12},
    {"QMoE", 8, 9, 13},
};

constexpr std::string_view quantised_suffix = "_quantized", scale_suffix = "_scale",
                           zero_point_suffix = "_zero_point";

std::uint32_t initializer_at(const onnx::Model& model, const onnx::Node& node, std::uint32_t input) {
  return input < node.inputs().size() ? hierarchy::initializer_behind(model, node.inputs()[input])
                                      : onnx::none;
}

// The quantised table behind a value: a lookup is dequantised after it, which takes less memory.
std::uint32_t table_behind(const onnx::Model& model, onnx::ValueId value) {
  if (value == onnx::none) return onnx::none;
  const onnx::Producer producer = model.producer(value);
  if (producer.kind != onnx::Producer::Kind::node || model.node(producer.index).op_type() != "Gather")
    return onnx::none;
  return initializer_at(model, model.node(producer.index), 0);
}

// Only an initializer that the node reads itself is a scale or a zero point.
std::uint32_t direct_initializer(const onnx::Model& model, const onnx::Node& node, std::uint32_t input) {
  if (input >= node.inputs().size() || node.inputs()[input] == onnx::none) return onnx::none;
  const onnx::Producer producer = model.producer(node.inputs()[input]);
  return producer.kind == onnx::Producer::Kind::initializer ? producer.index : onnx::none;
}

class RoleFinder {
 public:
  explicit RoleFinder(const onnx::Model& model) : model_(model), roles_(model.initializers().size()) {
    for (const QuantisedInput& each : quantised_inputs) by_op_[each.op].push_back(&each);
  }

  std::vector<QuantisationRole> run() {
    for (onnx::NodeId id = 0; id < model_.node_count(); ++id) {
      const onnx::Node node = model_.node(id);
      if (node.op_type() == "QLinearConcat") read_concat(node);
      const auto found = by_op_.find(node.op_type());
      if (found == by_op_.end()) continue;
      for (const QuantisedInput* const each : found->second) read_input(node, *each);
      if (node.op_type() == "MatMulInteger" || node.op_type() == "ConvInteger")
        integer_products_.push_back(id);
    }
    if (!integer_products_.empty()) find_scales_after_products();
    find_by_name();
    return std::move(roles_);
  }

 private:
  void add(std::uint32_t initializer, Transform role, std::uint32_t weight) {
    if (initializer == onnx::none) return;
    QuantisationRole& found = roles_[initializer];
    found.role = role;
    if (weight != onnx::none && found.weights.size() < max_parameters &&
        std::find(found.weights.begin(), found.weights.end(), weight) == found.weights.end())
      found.weights.push_back(weight);
  }

  void read_input(const onnx::Node& node, const QuantisedInput& input) {
    std::uint32_t weight = input.tensor == no_input ? onnx::none : initializer_at(model_, node, input.tensor);
    if (weight == onnx::none && node.op_type() == "DequantizeLinear" && !node.inputs().empty())
      weight = table_behind(model_, node.inputs()[0]);
    add(direct_initializer(model_, node, input.scale), Transform::scale_of, weight);
    add(direct_initializer(model_, node, input.zero_point), Transform::zero_point_of, weight);
  }

  // Operators that the table does not list: quantisers derive all names from that of the weight.
  void find_by_name() {
    std::unordered_map<std::string_view, std::uint32_t> by_weight;  // by the name before quantisation
    for (std::uint32_t i = 0; i < roles_.size(); ++i)
      if (const std::string_view name = name_of(i); name.ends_with(quantised_suffix))
        by_weight.emplace(name.substr(0, name.size() - quantised_suffix.size()), i);
    if (by_weight.empty()) return;
    for (std::uint32_t i = 0; i < roles_.size(); ++i) {
      if (roles_[i].role != Transform::none) continue;
      for (const auto& [suffix, role] : {std::pair(scale_suffix, Transform::scale_of),
                                         std::pair(zero_point_suffix, Transform::zero_point_of)}) {
        const std::string_view name = name_of(i);
        if (!name.ends_with(suffix)) continue;
        const auto weight = by_weight.find(name.substr(0, name.size() - suffix.size()));
        if (weight != by_weight.end()) add(i, role, weight->second);
      }
    }
  }

  std::string_view name_of(std::uint32_t initializer) const {
    const onnx::ValueId value = model_.initializers()[initializer].value;
    return value == onnx::none ? std::string_view() : model_.value_name(value);
  }

  // Scale and zero point of the result, then a tensor with both, and so on.
  void read_concat(const onnx::Node& node) {
    const std::size_t count = std::min(node.inputs().size(), max_inputs);
    for (std::uint32_t input = 0; input < count; ++input) {
      if (input < 2 || input % 3 != 2)
        add(direct_initializer(model_, node, input),
            input % 3 == (input < 2 ? 0 : 3) % 3 ? Transform::scale_of : Transform::zero_point_of,
            onnx::none);
    }
  }

  // The scales of both factors are multiplied, and then the product, after a cast, by the result.
  void find_scales_after_products() {
    const base::Grouped<onnx::NodeId> uses(model_.value_count(), [&](const auto& use) {
      for (onnx::NodeId id = 0; id < model_.node_count(); ++id)
        if (const std::string_view op = model_.node(id).op_type(); op == "Cast" || op == "Mul")
          for (const onnx::ValueId value : model_.node(id).inputs())
            if (value != onnx::none) use(value, id);
    });
    for (const onnx::NodeId id : integer_products_) {
      const std::uint32_t weight = initializer_at(model_, model_.node(id), 1);
      onnx::ValueId product = model_.node(id).outputs().empty() ? onnx::none : model_.node(id).outputs()[0];
      for (int step = 0; step < 2 && product != onnx::none && uses.of(product).size() == 1; ++step) {
        const onnx::Node after = model_.node(uses.of(product).front());
        if (after.op_type() == "Mul") {
          for (const onnx::ValueId factor : after.inputs())
            if (factor != product) add_scales(factor, weight);
          break;
        }
        product = after.outputs().empty() ? onnx::none : after.outputs()[0];
      }
    }
  }

  void add_scales(onnx::ValueId factor, std::uint32_t weight) {
    if (factor == onnx::none) return;
    const onnx::Producer producer = model_.producer(factor);
    if (producer.kind == onnx::Producer::Kind::initializer)
      return add(producer.index, Transform::scale_of, weight);
    if (producer.kind != onnx::Producer::Kind::node || model_.node(producer.index).op_type() != "Mul") return;
    for (std::uint32_t input = 0; input < 2; ++input)
      add(direct_initializer(model_, model_.node(producer.index), input), Transform::scale_of, weight);
  }

  const onnx::Model& model_;
  std::unordered_map<std::string_view, std::vector<const QuantisedInput*>> by_op_;
  std::vector<QuantisationRole> roles_;
  std::vector<onnx::NodeId> integer_products_;
};

}  // namespace

std::vector<QuantisationRole> find_quantisation_roles(const onnx::Model& model) {
  return RoleFinder(model).run();
}

bool is_packed_input(std::string_view op_type, std::size_t input) {
  return ((op_type == "MatMulNBits" || op_type == "MatMulBnb4") && input == 1) ||
         (op_type == "GatherBlockQuantized" && input == 0) ||
         (op_type == "QMoE" && (input == 2 || input == 5 || input == 8));
}

const QuantisedInput* quantised_input(std::string_view op_type, std::size_t input) {
  const auto* const found =
      std::find_if(std::begin(quantised_inputs), std::end(quantised_inputs),
                   [&](const QuantisedInput& each) { return each.op == op_type && each.tensor == input; });
  return found == std::end(quantised_inputs) ? nullptr : found;
}

bool is_quantised_input(std::string_view op_type, std::size_t input) {
  return quantised_input(op_type, input) != nullptr;
}

bool is_scale_or_zero_point(std::string_view op_type, std::size_t input) {
  return std::any_of(std::begin(quantised_inputs), std::end(quantised_inputs),
                     [&](const QuantisedInput& each) {
                       return each.op == op_type && (each.scale == input || each.zero_point == input);
                     });
}

}  // namespace thence::weights
