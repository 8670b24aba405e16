#include "evidence/wrapper_nodes.h"

#include <algorithm>
#include <unordered_set>

#include "onnx/content_hash.h"

namespace thence::evidence {
namespace {

using onnx::NodeId;

class WrapperNodes {
 public:
  WrapperNodes(const onnx::Model& model, const capture::Capture& recorded)
      : model_(model), reads_recorded_(model.node_count()), reads_other_(model.node_count()) {
    std::unordered_set<std::uint64_t> content;
    for (const capture::CapturedParameter& parameter : recorded.parameters)
      if (const auto hash = parameter.content_hash()) content.insert(*hash);
    for (const onnx::Initializer& initializer : model.initializers())
      weights_.push_back(find_weight_kind(initializer, content));
    for (NodeId id = 0; id < model.node_count(); ++id)
      for (const onnx::ValueId input : model.node(id).inputs()) classify_input(id, input);
  }

  // A weight that was not recorded may also be a changed one (folded, quantised). If recorded weights are
  // both before and after it, it is.
  std::vector<bool> find() const {
    const std::vector<bool> is_after = mark_after(reads_recorded_), is_before = mark_before(reads_recorded_);
    std::vector<bool> behind(model_.node_count()), ahead(model_.node_count());
    for (NodeId id = 0; id < model_.node_count(); ++id) {
      behind[id] = reads_other_[id] && !is_before[id];
      ahead[id] = reads_other_[id] && !is_after[id];
    }
    std::vector<bool> found = mark_after(behind);
    const std::vector<bool> feeds_wrapper = mark_before(ahead);
    for (NodeId id = 0; id < model_.node_count(); ++id)
      found[id] = (found[id] && !is_before[id]) || (feeds_wrapper[id] && !is_after[id]);
    return found;
  }

 private:
  enum class WeightKind : std::uint8_t { none, recorded, other };

  // Integers, vectors and scalars may be constants, which no model owns.
  WeightKind find_weight_kind(const onnx::Initializer& initializer,
                              const std::unordered_set<std::uint64_t>& content) const {
    const onnx::TensorView tensor = model_.tensor(initializer);
    const auto long_axes =
        std::count_if(tensor.dims.begin(), tensor.dims.end(), [](std::int64_t size) { return size > 1; });
    if (!onnx::is_float(tensor.data_type) || long_axes < 2) return WeightKind::none;
    const auto hash = onnx::hash_content(model_, initializer);
    if (!hash) return WeightKind::none;
    return content.contains(hash->unordered) ? WeightKind::recorded : WeightKind::other;
  }

  void classify_input(NodeId id, onnx::ValueId input) {
    if (input == onnx::none) return;
    const onnx::Producer producer = model_.producer(input);
    if (producer.kind != onnx::Producer::Kind::initializer) return;
    reads_recorded_[id] = reads_recorded_[id] || weights_[producer.index] == WeightKind::recorded;
    reads_other_[id] = reads_other_[id] || weights_[producer.index] == WeightKind::other;
  }

  void each_producer(NodeId id, auto use) const {
    for (const onnx::ValueId input : model_.node(id).inputs())
      if (input != onnx::none)
        if (const onnx::Producer producer = model_.producer(input);
            producer.kind == onnx::Producer::Kind::node)
          use(producer.index);
  }

  // The given nodes and all that are computed from them. Producers come before their consumers.
  std::vector<bool> mark_after(std::vector<bool> nodes) const {
    for (NodeId id = 0; id < model_.node_count(); ++id)
      each_producer(id, [&](NodeId producer) { nodes[id] = nodes[id] || nodes[producer]; });
    return nodes;
  }

  // The given nodes and all that they are computed from.
  std::vector<bool> mark_before(std::vector<bool> nodes) const {
    for (NodeId id = static_cast<NodeId>(model_.node_count()); id-- > 0;)
      if (nodes[id]) each_producer(id, [&](NodeId producer) { nodes[producer] = true; });
    return nodes;
  }

  const onnx::Model& model_;
  std::vector<WeightKind> weights_;  // by initializer
  std::vector<bool> reads_recorded_, reads_other_;
};

}  // namespace

std::vector<bool> find_wrapper_nodes(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy) {
  const capture::Capture* const recorded = hierarchy.recorded();
  if (hierarchy.tree().wrapped_at().empty() || recorded == nullptr) return {};
  return WrapperNodes(model, *recorded).find();
}

}  // namespace thence::evidence
