#include "resolve/flow_index.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "dataflow/operator_traits.h"
#include "shapes/topological_order.h"

namespace thence::resolve {
namespace {

// Whether operators read shapes, remembered by the address of their name: a model has each name once, and
// a few dozen operators in all.
class ShapeReaderCache {
 public:
  bool reads_shape(std::string_view op_type) {
    Entry& entry = entries_[(reinterpret_cast<std::uintptr_t>(op_type.data()) >> 3) % entries_.size()];
    if (entry.name != op_type.data() || entry.size != op_type.size())
      entry = {op_type.data(), op_type.size(), dataflow::has_trait(op_type, dataflow::Trait::reads_shape)};
    return entry.reads_shape;
  }

 private:
  struct Entry {
    const char* name = nullptr;
    std::size_t size = 0;
    bool reads_shape = false;
  };
  std::array<Entry, 64> entries_;
};

}  // namespace

FlowIndex::FlowIndex(const onnx::Model& model) : uses_(model), kinds_(model.node_count(), FlowKind::data) {
  find_kinds(model);
}

// In topological order, which is the file's order in a valid model. In a cycle, the node that is visited
// first reads data: the cautious choice.
void FlowIndex::find_kinds(const onnx::Model& model) {
  bool is_sorted = true;
  ShapeReaderCache shape_readers;
  const auto visit = [&](onnx::NodeId id) {
    const onnx::Node node = model.node(id);
    kinds_[id] =
        shape_readers.reads_shape(node.op_type()) ? FlowKind::shape : kind_of_inputs(model, node, is_sorted);
  };
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) visit(id);
  if (is_sorted) return;
  std::fill(kinds_.begin(), kinds_.end(), FlowKind::data);
  shapes::TopologicalOrder order(model);
  for (const onnx::Graph& graph : model.graphs())  // a body follows the graph around it
    order.each(graph, visit);
}

FlowKind FlowIndex::kind_of_inputs(const onnx::Model& model, const onnx::Node& node, bool& is_sorted) const {
  FlowKind kind = FlowKind::constant;
  for (const onnx::ValueId value : node.inputs()) {
    if (value == onnx::none) continue;
    const onnx::Producer producer = model.producer(value);
    if (producer.kind == onnx::Producer::Kind::initializer) continue;
    if (producer.kind != onnx::Producer::Kind::node) return FlowKind::data;
    if (producer.index >= node.id()) is_sorted = false;
    kind = std::max(kind, kinds_[producer.index]);
    if (kind == FlowKind::data) return kind;
  }
  return kind;
}

}  // namespace thence::resolve
