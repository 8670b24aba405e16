#include "functions/restore_nodes.h"

#include <unordered_set>

#include "functions/record_columns.h"
#include "onnx/layout.h"
#include "wire/fields.h"
#include "wire/splice.h"

namespace thence::functions {
namespace {

using onnx::Graph;
using onnx::GraphId;
using onnx::NodeField;
using onnx::NodeId;
using onnx::ValueId;
using wire::bytes_tag;

class NodeRestorer {
 public:
  NodeRestorer(const onnx::Model& model, const CallGraph& calls, const RecordColumns& columns)
      : model_(model), calls_(calls), columns_(columns), seen_(model.graphs().size(), 0) {
    names_.reserve(model.value_count());
    for (ValueId value = 0; value < model.value_count(); ++value) names_.push_back(model.value_name(value));
  }

  std::optional<FlatNodes> run() {
    reserve_kept_names();
    expand(0, 0);
    if (failed_) return std::nullopt;
    return std::move(flat_);
  }

 private:
  bool is_shared(GraphId graph) const { return graph != 0 && calls_.instances(graph) > 1; }

  void reserve_kept_names() {
    for (GraphId id = 0; id < model_.graphs().size(); ++id) {
      const Graph& graph = model_.graphs()[id];
      if (graph.kind == Graph::Kind::function && (!calls_.is_expanded(id) || is_shared(id))) continue;
      for (const ValueId value : graph.inputs) used_.insert(model_.value_name(value));
      for (NodeId node = graph.first_node; node < graph.first_node + graph.node_count; ++node)
        for (const ValueId value : model_.node(node).outputs())
          if (value != onnx::none) used_.insert(model_.value_name(value));
    }
    for (const onnx::Initializer& initializer : model_.initializers())
      if (initializer.value != onnx::none) used_.insert(model_.value_name(initializer.value));
  }

  // Recursion is limited by max_call_depth. A function does not call itself, so that its values have one name
  // at a time.
  void expand(GraphId id, std::uint64_t instance) {
    const Graph& graph = model_.graphs()[id];
    for (NodeId node = graph.first_node; node < graph.first_node + graph.node_count && !failed_; ++node) {
      if (is_shared(id)) name_outputs(node, instance, calls_.instances(id));
      if (const GraphId callee = calls_.callee(node); callee != onnx::none)
        enter(callee, model_.node(node));
      else
        flat_.messages.push_back(is_shared(id) ? render(node, instance) : model_.node(node).bytes());
    }
  }

  void name_outputs(NodeId id, std::uint64_t instance, std::uint64_t instances) {
    std::uint64_t output = 0;
    for (const ValueId value : model_.node(id).outputs()) {
      if (value == onnx::none || columns_.is_function_output(value)) continue;
      names_[value] = columns_.name(id, output++, instance, instances);
      if (!used_.insert(names_[value]).second) failed_ = true;
    }
  }

  void enter(GraphId function, const onnx::Node& call) {
    if (is_shared(function)) {
      const auto pass = [&](const std::vector<ValueId>& formal, std::span<const ValueId> actual) {
        for (std::size_t i = 0; i < formal.size(); ++i)
          names_[formal[i]] =
              i < actual.size() && actual[i] != onnx::none ? names_[actual[i]] : std::string_view();
      };
      pass(model_.graphs()[function].inputs, call.inputs());
      pass(model_.graphs()[function].outputs, call.outputs());
    }
    expand(function, seen_[function]++);
  }

  std::string_view render(NodeId id, std::uint64_t instance) {
    const onnx::Node node = model_.node(id);
    const std::span<const Insertion> annotations = columns_.annotations(id, instance);
    std::size_t inputs = 0, outputs = 0, next = 0;
    std::uint64_t position = 0;
    text_.clear();
    const auto annotate = [&](std::uint64_t until) {
      for (; next < annotations.size() && annotations[next].position <= until; ++next)
        text_.append(annotations[next].bytes);
    };
    const auto value = [&](const wire::Fields& field, ValueId id_of_value) {
      wire::append_field(text_, field.field(),
                         id_of_value == onnx::none ? std::string_view() : names_[id_of_value]);
    };
    for (wire::Fields field(node.bytes()); field.next();) {
      if (field.tag() == bytes_tag(NodeField::name)) continue;
      annotate(position++);
      if (field.tag() == bytes_tag(NodeField::input))
        value(field, node.inputs()[inputs++]);
      else if (field.tag() == bytes_tag(NodeField::output))
        value(field, node.outputs()[outputs++]);
      else
        text_.append(field.start(), field.rest());
    }
    annotate(~std::uint64_t{0});
    bytes_ += text_.size();
    failed_ |= bytes_ > calls_.max_bytes();
    return flat_.texts.store(text_);
  }

  const onnx::Model& model_;
  const CallGraph& calls_;
  const RecordColumns& columns_;
  std::vector<std::uint64_t> seen_;      // by function: instances so far
  std::vector<std::string_view> names_;  // by value: its name in the current instance
  std::unordered_set<std::string_view> used_;
  FlatNodes flat_;
  std::string text_;
  std::uint64_t bytes_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<FlatNodes> restore_nodes(const onnx::Model& model, const CallGraph& calls,
                                       const FoldRecord& record) {
  const std::optional<RecordColumns> columns = RecordColumns::read(model, calls, record);
  return columns ? NodeRestorer(model, calls, *columns).run() : std::nullopt;
}

}  // namespace thence::functions
