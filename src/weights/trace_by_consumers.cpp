// A transposed or folded weight has lost its name, but the node that reads it has a module. Which parameter
// of that module it was follows from the input at which it is read.
#include <algorithm>
#include <map>
#include <optional>

#include "base/format.h"
#include "hierarchy/initializer_behind.h"
#include "weights/input_slot.h"
#include "weights/limits.h"
#include "weights/tracer.h"

namespace thence::weights {
namespace {

using modules::ModuleId;
using modules::no_module;

// The parameters of a norm whose factors are folded into the operation before it, largest role first.
constexpr std::string_view norm_parameters[] = {"bias", "weight", "running_mean", "running_var"};

struct Claim {
  std::size_t initializer;
  std::vector<std::string> parameters;
  Transform transform;
};

class ConsumerTracer {
 public:
  explicit ConsumerTracer(Tracer& tracer)
      : tracer_(tracer),
        tree_(tracer.map().own_tree()),
        layers_(number_layers(tracer)),
        norms_(find_norms(tracer)),
        has_weights_below_(find_weights_below(tracer)) {}

  void run() {
    std::vector<Claim> claims;
    for (std::size_t i = 0; i < tracer_.size(); ++i)
      if (tracer_.is_open(i) && may_be_parameter(i))
        if (auto claim = claim_of(i)) claims.push_back(*std::move(claim));
    remove_contradictions(claims);
    for (Claim& claim : claims)
      tracer_.set(claim.initializer, std::move(claim.parameters), claim.transform, WeightSource::consumers);
  }

 private:
  // Quantisers keep the names of convolutions' weights, so only a matrix needs its consumers.
  bool may_be_parameter(std::size_t initializer) const {
    const onnx::TensorView& tensor = tracer_.tensor(initializer);
    return onnx::is_float(tensor.data_type) || (tracer_.is_quantised(initializer) && tensor.dims.size() == 2);
  }

  // The number of each recurrent node among those of its module.
  static std::map<onnx::NodeId, std::uint32_t> number_layers(const Tracer& tracer) {
    std::map<onnx::NodeId, std::uint32_t> layers;
    std::map<ModuleId, std::uint32_t> counts;
    for (onnx::NodeId id = 0; id < tracer.model().node_count(); ++id)
      if (is_recurrent(tracer.model().node(id).op_type()))
        layers[id] = counts[tracer.map().own_answer(id).computing_module()]++;
    return layers;
  }

  // Modules that compute a mean over their input, as norms do that the exporter writes in parts. The norm of
  // groups of channels is that of instances, which are the groups, and then a factor and an offset.
  static std::vector<bool> find_norms(const Tracer& tracer) {
    std::vector<bool> norms(tracer.map().own_tree().size(), false);
    for (onnx::NodeId id = 0; id < tracer.model().node_count(); ++id)
      if (const std::string_view op = tracer.model().node(id).op_type();
          op == "ReduceMean" || op == "InstanceNormalization")
        if (const ModuleId module = tracer.map().own_answer(id).computing_module(); module != no_module)
          norms[module] = true;
    return norms;
  }

  // Modules around one that reads initializers.
  static std::vector<bool> find_weights_below(const Tracer& tracer) {
    const modules::ModuleTree& tree = tracer.map().own_tree();
    std::vector<bool> found(tree.size(), false);
    for (std::size_t i = 0; i < tracer.size(); ++i)
      if (ModuleId module = tracer.consumer_module(i); module != no_module)
        while ((module = tree[module].parent) != no_module && !found[module]) found[module] = true;
    return found;
  }

  // Whether all sizes are 1 but one: channels first have ones after them.
  static bool is_vector(const onnx::TensorView& tensor) {
    return std::count_if(tensor.dims.begin(), tensor.dims.end(), [](auto size) { return size > 1; }) == 1;
  }

  // The slot of all consumers; nothing if they differ.
  std::optional<InputSlot> common_slot(std::size_t initializer) const {
    std::optional<InputSlot> common;
    for (const Consumer& each : tracer_.consumers().of(initializer)) {
      const auto layer = layers_.find(each.node);
      const onnx::Node node = tracer_.model().node(each.node);
      auto slot = slot_of(node, each.input, layer == layers_.end() ? 0 : layer->second);
      const ModuleId module = tracer_.map().own_answer(each.node).computing_module();
      if (!slot && module != no_module && norms_[module] && is_vector(tracer_.tensor(initializer)))
        slot = slot_of_norm(node);
      if (!slot || (common && *common != *slot)) return std::nullopt;
      common = slot;
    }
    return common;
  }

  std::optional<Claim> claim_of(std::size_t initializer) const {
    const ModuleId module = tracer_.consumer_module(initializer);
    if (module == no_module) return std::nullopt;
    const std::optional<InputSlot> slot = common_slot(initializer);
    const bool is_quantised = !onnx::is_float(tracer_.tensor(initializer).data_type);
    if (is_quantised && !(slot && slot->names.front() == "weight")) return std::nullopt;
    std::optional<Claim> claim;
    if (!tracer_.captured().empty())
      claim = claim_captured(initializer, module, slot);
    else if (slot && module != modules::root)
      claim = claim_by_slot(initializer, module, *slot);
    if (claim && is_quantised) claim->transform = Transform::quantised;
    return claim;
  }

  // --- Without a capture ---

  std::optional<Claim> claim_by_slot(std::size_t initializer, ModuleId module, const InputSlot& slot) const {
    // Only modules whose submodules have no weights compute with parameters of the usual names alone. A bias
    // that is folded may be that of the norm, if the convolution has none.
    if (has_weights_below_[module] || !(tree_[module].children.empty() || norms_[module]))
      return std::nullopt;
    if (slot.transform == Transform::folded && slot.names.front() == "bias") return std::nullopt;
    const std::size_t rank = tracer_.tensor(initializer).dims.size();
    if (rank < (slot.transform == Transform::transposed ? 2 : 1)) return std::nullopt;
    const std::string stem = stem_of_bias(initializer);
    Claim claim{initializer, {}, slot.transform};
    for (const std::string& name : slot.names)
      claim.parameters.push_back(base::format("{}.{}{}", tree_[module].path, stem, name));
    return claim;
  }

  // A module with several weights names them in pairs: "in_proj_weight" and "in_proj_bias". If the bias that
  // is added to the product kept its name, the weight has the same stem.
  std::string stem_of_bias(std::size_t initializer) const {
    const auto consumers = tracer_.consumers().of(initializer);
    const onnx::Node node = tracer_.model().node(consumers.front().node);
    const auto bias = bias_after(node);
    if (bias.empty()) return {};
    const std::string_view last = last_name(bias);
    if (!last.ends_with("bias") || last == "bias") return {};
    return std::string(last.substr(0, last.size() - 4));
  }

  std::string_view bias_after(const onnx::Node& product) const {
    for (const onnx::NodeId next : {product.id(), product.id() + 1}) {
      if (next >= tracer_.model().node_count()) break;
      const onnx::Node node = tracer_.model().node(next);
      const bool reads_product =
          next == product.id() || (node.op_type() == "Add" && !product.outputs().empty() &&
                                   std::find(node.inputs().begin(), node.inputs().end(),
                                             product.outputs()[0]) != node.inputs().end());
      if (!reads_product) continue;
      for (const onnx::ValueId value : node.inputs().first(std::min(node.inputs().size(), max_inputs)))
        if (const std::uint32_t found = hierarchy::initializer_behind(tracer_.model(), value);
            found != onnx::none && tracer_.tensor(found).dims.size() == 1 &&
            tracer_[found].parameters.size() == 1)
          return tracer_[found].parameters.front();
    }
    return {};
  }

  // --- With a capture ---

  std::optional<Claim> claim_captured(std::size_t initializer, ModuleId module,
                                      const std::optional<InputSlot>& slot) const {
    if (slot && slot->names.size() > 1) return claim_all(initializer, module, *slot);
    if (auto claim = claim_of_frozen_norm(initializer, module)) return claim;
    const std::vector<std::string_view> fitting = find_fitting(initializer, module, slot);
    if (slot && slot->transform == Transform::folded)
      return claim_folded(initializer, module, *slot, fitting);
    if (fitting.size() != 1 || !slot) return std::nullopt;
    const CapturedParameter& parameter = *tracer_.captured().find(fitting.front());
    Transform transform = slot->transform;
    if (is_cast(tracer_.tensor(initializer), parameter)) transform = Transform::cast;
    // It is not the content that was captured.
    if (parameter.exact && tracer_.tensor(initializer).dims.size() == 1) transform = Transform::folded;
    return Claim{initializer, {std::string(fitting.front())}, transform};
  }

  // The parameters of a module that have the shape of an initializer and are not in the file; only that of
  // the slot, if it is one of them.
  std::vector<std::string_view> find_fitting(std::size_t initializer, ModuleId module,
                                             const std::optional<InputSlot>& slot) const {
    const std::string_view path = tree_[module].path;
    std::vector<std::string_view> fitting;
    for (const std::string_view each : tracer_.captured().owned_by(path)) {
      const CapturedParameter& parameter = *tracer_.captured().find(each);
      const bool is_float = parameter.dtype.empty() || parameter.dtype.find("float") != std::string::npos;
      if (!is_float || tracer_.is_named(each)) continue;
      if (fit_of(tracer_.tensor(initializer), parameter) == Fit::no) continue;
      if (slot && last_name(each) == slot->names.front()) {
        return {each};
      }
      fitting.push_back(each);
    }
    return fitting;
  }

  // A norm with fixed statistics is a factor and an offset, which exporters compute.
  std::optional<Claim> claim_of_frozen_norm(std::size_t initializer, ModuleId module) const {
    const std::string_view path = tree_[module].path;
    const CapturedParameter* const mean = tracer_.captured().find(base::format("{}.running_mean", path));
    if (mean == nullptr || tracer_.is_named(mean->path) ||
        fit_of(tracer_.tensor(initializer), *mean) != Fit::same)
      return std::nullopt;
    const auto consumers = tracer_.consumers().of(initializer);
    const auto reads = [&](std::string_view op) {
      return std::all_of(consumers.begin(), consumers.end(), [&](const Consumer& each) {
        return tracer_.model().node(each.node).op_type() == op;
      });
    };
    if (!reads("Add") && !reads("Mul")) return std::nullopt;
    Claim claim{initializer, norm_parameters_of(path, reads("Add")), Transform::folded};
    if (claim.parameters.empty()) return std::nullopt;
    return claim;
  }

  std::vector<std::string> norm_parameters_of(std::string_view norm, bool is_offset) const {
    std::vector<std::string> found;
    for (const std::string_view name : norm_parameters) {
      // The factor depends on the weight and the variance alone.
      if (!is_offset && (name == "bias" || name == "running_mean")) continue;
      std::string each = base::format("{}.{}", norm, name);
      if (tracer_.captured().find(each) != nullptr) found.push_back(std::move(each));
    }
    return found;
  }

  std::optional<Claim> claim_all(std::size_t initializer, ModuleId module, const InputSlot& slot) const {
    Claim claim{initializer, {}, slot.transform};
    for (const std::string& name : slot.names) {
      claim.parameters.push_back(base::format("{}.{}", tree_[module].path, name));
      if (tracer_.captured().find(claim.parameters.back()) == nullptr) return std::nullopt;
    }
    return claim;
  }

  // A convolution whose weight changed: the norm after it was folded into it.
  std::optional<Claim> claim_folded(std::size_t initializer, ModuleId module, const InputSlot& slot,
                                    const std::vector<std::string_view>& fitting) const {
    const bool is_bias = slot.names.front() == "bias";
    if (auto claim = claim_parametrized(initializer, module, slot)) return claim;
    Claim claim{initializer, {}, Transform::folded};
    if (fitting.size() == 1) claim.parameters.emplace_back(fitting.front());
    if (fitting.size() > 1 || (fitting.empty() && !is_bias)) return std::nullopt;
    for (const std::string& each : norm_after(initializer, module, is_bias)) claim.parameters.push_back(each);
    if (claim.parameters.empty()) return std::nullopt;
    return claim;
  }

  // A weight that PyTorch computes from others in each run (torch.nn.utils.parametrize, and the older
  // weight_norm): "conv.weight" is not in the state_dict, its originals are.
  std::optional<Claim> claim_parametrized(std::size_t initializer, ModuleId module,
                                          const InputSlot& slot) const {
    const std::string path = base::format("{}.{}", tree_[module].path, slot.names.front());
    const std::string inner =
        base::format("{}.parametrizations.{}.original", tree_[module].path, slot.names.front());
    if (tracer_.captured().find(path) != nullptr) return std::nullopt;
    Claim claim{initializer, {}, Transform::folded};
    for (const std::string& each : {inner, inner + "0", inner + "1", path + "_g", path + "_v"})
      if (tracer_.captured().find(each) != nullptr) claim.parameters.push_back(each);
    std::stable_partition(claim.parameters.begin(), claim.parameters.end(), [&](const std::string& each) {
      return fit_of(tracer_.tensor(initializer), *tracer_.captured().find(each)) != Fit::no;
    });
    if (claim.parameters.empty()) return std::nullopt;
    return claim;
  }

  // The parameters of the first norm after a module, in the order of registration, that is next to it, has as
  // many channels, and no longer occurs in the file.
  std::vector<std::string> norm_after(std::size_t initializer, ModuleId module, bool is_bias) const {
    const ModuleId parent = tree_[module].parent;
    const auto& dims = tracer_.tensor(initializer).dims;
    if (parent == no_module || dims.empty()) return {};
    const std::size_t past = std::min(tree_.size(), module + 1 + max_modules_after);
    for (ModuleId next = module + 1; next < past && tree_.is_within(next, parent); ++next) {
      const std::string_view path = tree_[next].path;
      const CapturedParameter* const mean = tracer_.captured().find(base::format("{}.running_mean", path));
      if (mean == nullptr) {
        if (tracer_.captured().find(base::format("{}.weight", path)) != nullptr) return {};
        continue;
      }
      if (mean->dims.size() != 1 || mean->dims[0] != dims[0]) return {};
      if (tracer_.is_named(mean->path)) return {};
      return norm_parameters_of(path, is_bias);
    }
    return {};
  }

  // --- Contradictions ---

  // Two initializers cannot be the same parameter in the same form, unless they are equal: a module that is
  // called twice may have two copies of its weight.
  void remove_contradictions(std::vector<Claim>& claims) {
    std::map<std::string, std::vector<std::size_t>> by_parameter;
    for (std::size_t i = 0; i < claims.size(); ++i) by_parameter[claims[i].parameters.front()].push_back(i);
    std::vector<bool> is_wrong(claims.size(), false);
    for (const auto& [parameter, rivals] : by_parameter) {
      const bool is_taken = tracer_.is_named(parameter);
      if (!is_taken && (rivals.size() == 1 || are_equal(claims, rivals))) continue;
      for (const std::size_t each : rivals) is_wrong[each] = true;
    }
    std::vector<Claim> kept;
    for (std::size_t i = 0; i < claims.size(); ++i)
      if (!is_wrong[i]) kept.push_back(std::move(claims[i]));
    claims = std::move(kept);
  }

  bool are_equal(const std::vector<Claim>& claims, const std::vector<std::size_t>& rivals) {
    if (rivals.size() > max_equal_parameters) return false;
    const auto first = tracer_.content(claims[rivals.front()].initializer);
    return first && std::all_of(rivals.begin() + 1, rivals.end(), [&](std::size_t each) {
             const auto content = tracer_.content(claims[each].initializer);
             return content && content->unordered == first->unordered;
           });
  }

  Tracer& tracer_;
  const modules::ModuleTree& tree_;
  std::map<onnx::NodeId, std::uint32_t> layers_;
  std::vector<bool> norms_, has_weights_below_;  // by module
};

}  // namespace

void trace_by_consumers(Tracer& tracer) { ConsumerTracer(tracer).run(); }

}  // namespace thence::weights
