#include "semantics/module_operations.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/grouped.h"
#include "semantics/thresholds.h"

namespace thence::semantics {
namespace {

using Kind = ModuleOperation::Kind;
using modules::ModuleId;
using onnx::NodeId;
using onnx::none;
using onnx::ValueId;

struct WeightedOp {
  std::string_view op;
  std::size_t weight;  // the input that is the weight
  bool is_packed = false;
};

// Matrix products, as ONNX and ONNX Runtime document them.
constexpr WeightedOp products[] = {
    {"MatMul", 1},
    {"Gemm", 1},
    {"FusedMatMul", 1},

    {"MatMulInteger", 1},
    {"MatMulIntegerToFloat", 1},
    {"QLinearMatMul", 3},
    {"QGemm", 3},
    {"MatMulBnb4", 1, true},
    {"DynamicQuantizeMatMul", 1},
    {"MatMulNBits", 1, true},
};
constexpr std::string_view convolutions[] = {"Conv", "ConvTranspose", "QLinearConv", "ConvInteger",
                                             "NhwcConv"};

// Operators beside the product: a bias, a factor, the layout of data, its type, and shapes. Operators that an
// activation was fused with may be attributed to it, so they show nothing.
constexpr std::string_view beside_product[] = {
    "Add",
    "Mul",
    "Reshape",
    "Transpose",
    "Cast",
    "Identity",
    "Squeeze",
    "Unsqueeze",
    "Flatten",
    "Shape",
    "Slice",
    "Gather",
    "Concat",
    "Constant",
    "ConstantOfShape",
    "Expand",
    "QuantizeLinear",
    "DequantizeLinear",
    "DynamicQuantizeLinear",
    "FusedConv",
    "NhwcFusedConv",
    "FusedGemm",
    "CastLike",
};

// Operators that only forward a result, of which the parts are the parts of the result.
constexpr std::string_view forwards[] = {"Add",       "Reshape",        "Transpose",
                                         "Cast",      "Identity",       "Squeeze",
                                         "Unsqueeze", "QuantizeLinear", "DequantizeLinear"};

// Operators that compute attention as a whole.
constexpr std::string_view attentions[] = {"Attention",  "MultiHeadAttention", "GroupQueryAttention",
                                           "QAttention", "PackedAttention",    "Einsum"};

template <class List>
bool is_in(const List& list, std::string_view op) {
  return std::find(std::begin(list), std::end(list), op) != std::end(list);
}

const WeightedOp* product_of(std::string_view op) {
  const auto* const found = std::find_if(std::begin(products), std::end(products),
                                         [&](const WeightedOp& each) { return each.op == op; });
  return found == std::end(products) ? nullptr : found;
}

// A constant, and whether it is read transposed.
struct StoredWeight {
  ValueId value = none;
  bool is_transposed = false;
};

// The constant behind a value, through nodes that change its form.
StoredWeight stored_weight(const onnx::Model& model, ValueId value) {
  StoredWeight weight;
  for (int step = 0; step < max_weight_chain && value != none; ++step) {
    const onnx::Producer producer = model.producer(value);
    if (producer.kind == onnx::Producer::Kind::initializer) {
      weight.value = value;
      return weight;
    }
    if (producer.kind != onnx::Producer::Kind::node) break;
    const onnx::Node node = model.node(producer.index);
    const std::string_view op = node.op_type();
    if (op == "Constant") {
      weight.value = value;
      return weight;
    }
    if (op != "Transpose" && op != "Cast" && op != "DequantizeLinear" && op != "Identity") break;
    if (op == "Transpose") weight.is_transposed = !weight.is_transposed;
    value = node.inputs().empty() ? none : node.inputs()[0];
  }
  return {};
}

std::vector<std::int64_t> dims_of(const onnx::Model& model, ValueId constant) {
  const onnx::Producer producer = model.producer(constant);
  if (producer.kind == onnx::Producer::Kind::initializer)
    return onnx::read_tensor(onnx::Pieces{model.initializers()[producer.index].bytes}).dims;
  const auto value = model.node(producer.index).attribute("value");
  return value && value->has_tensor ? onnx::read_tensor(value->tensor).dims : std::vector<std::int64_t>();
}

// Whether a value is a product of two computed values, or a view of one: attention weights times values.
bool is_computed_product(const onnx::Model& model, ValueId value) {
  for (int step = 0; step < max_weight_chain && value != none; ++step) {
    const onnx::Producer producer = model.producer(value);
    if (producer.kind != onnx::Producer::Kind::node) return false;
    const onnx::Node node = model.node(producer.index);
    if (is_in(attentions, node.op_type())) return true;
    if (const WeightedOp* const product = product_of(node.op_type()))
      return product->weight < node.inputs().size() &&
             stored_weight(model, node.inputs()[product->weight]).value == none;
    if (node.op_type() == "Add" || !is_in(forwards, node.op_type()) || node.inputs().empty()) return false;
    value = node.inputs()[0];
  }
  return false;
}

// Whether the result of a product is read as three parts: by a Split, or by three slices.
bool is_split(const onnx::Model& model, const base::Grouped<NodeId>& uses, ValueId value) {
  for (int step = 0; step < max_weight_chain; ++step) {
    std::array<NodeId, 3> readers{};
    std::size_t count = 0;
    for (const NodeId use : uses.of(value)) {
      if (model.node(use).op_type() == "Shape") continue;
      if (count == readers.size()) return false;
      readers[count++] = use;
    }
    const auto cuts = [&](NodeId id) {
      const std::string_view op = model.node(id).op_type();
      return op == "Slice" || op == "Gather";
    };
    if (count == 3) return std::all_of(readers.begin(), readers.end(), cuts);
    if (count != 1) return false;
    const onnx::Node node = model.node(readers[0]);
    if (node.op_type() == "Split") return node.outputs().size() == 3;
    if (!is_in(forwards, node.op_type()) || node.outputs().empty() || node.outputs()[0] == none) return false;
    value = node.outputs()[0];
  }
  return false;
}

}  // namespace

ModuleOperations::ModuleOperations(const onnx::Model& model, const modules::ModuleTree& tree,
                                   const resolve::Resolution& resolution)
    : model_(model), operations_(tree.size()) {
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const resolve::Attribution& answer = resolution.nodes[id];
    if (!answer.known()) continue;
    const ModuleId module =
        answer.computing_module();  // of a fused node; its call is that of the primary one
    const modules::CallNumber call = module == answer.module ? answer.call() : modules::CallNumber();
    if (tree[module].children.empty()) read_node(id, module, call);
  }
  if (!tripled_.empty()) find_splits();
  for (ModuleId module = 0; module < operations_.size(); ++module) {
    if (tree[module].parent == modules::no_module) continue;
    ModuleOperation& parent = operations_[tree[module].parent];
    parent.contains_linear |= operations_[module].kind == Kind::linear;
    parent.contains_convolution |= operations_[module].kind == Kind::convolution;
  }
}

// The result does not depend on the order of the nodes: two kinds in one module are `other`, which stays.
void ModuleOperations::read_node(NodeId id, ModuleId module, modules::CallNumber call) {
  const onnx::Node node = model_.node(id);
  const std::string_view op = node.op_type();
  if (is_in(beside_product, op)) return;
  Kind found = Kind::other;
  if (is_in(convolutions, op)) found = Kind::convolution;
  if (product_of(op) != nullptr) found = read_product(node, module, call);
  Kind& kind = operations_[module].kind;
  kind = kind == Kind::unknown || kind == found ? found : Kind::other;
}

Kind ModuleOperations::read_product(const onnx::Node& node, ModuleId module, modules::CallNumber call) {
  const WeightedOp& product = *product_of(node.op_type());
  const auto inputs = node.inputs();
  if (product.weight >= inputs.size()) return Kind::other;
  const StoredWeight weight = stored_weight(model_, inputs[product.weight]);
  if (weight.value == none) return Kind::other;
  operations_[module].reads_product |= is_computed_product(model_, inputs[0]);
  // A module that is called several times may have a copy of its weight for each call.
  constexpr std::uint32_t unknown_call = 0xffffffff;
  const auto [known, is_new] =
      weights_.try_emplace(std::uint64_t{module} << 32 | call.value_or(unknown_call), weight.value);
  if (known->second != weight.value) return Kind::other;
  if (product.is_packed) return Kind::linear;
  const std::vector<std::int64_t> dims = dims_of(model_, weight.value);
  if (dims.size() != 2) return Kind::other;
  const auto transposed = node.attribute("transB");
  const bool is_flipped = weight.is_transposed != (transposed && transposed->i != 0);
  const std::int64_t in = dims[is_flipped ? 1 : 0], out = dims[is_flipped ? 0 : 1];
  if (in > 0 && out % 3 == 0 && out / 3 == in) tripled_.emplace_back(module, node.id());
  return Kind::linear;
}

void ModuleOperations::find_splits() {
  const base::Grouped<NodeId> uses(model_.value_count(), [&](const auto& use) {
    for (NodeId id = 0; id < model_.node_count(); ++id)
      for (const ValueId value : model_.node(id).inputs())
        if (value != none) use(value, id);
  });
  for (const auto& [module, id] : tripled_) {
    const auto outputs = model_.node(id).outputs();
    if (!outputs.empty() && outputs[0] != none)
      operations_[module].is_split_in_three |= is_split(model_, uses, outputs[0]);
  }
}

}  // namespace thence::semantics
