#include "shapes/infer.h"

#include <algorithm>
#include <unordered_map>

#include "shapes/operators.h"
#include "shapes/small_tensor.h"
#include "shapes/thresholds.h"
#include "shapes/topological_order.h"

namespace thence::shapes {
namespace {

using onnx::Graph;
using onnx::GraphId;
using onnx::NodeId;
using onnx::ValueId;

using onnx::DataType;

class Inference {
 public:
  Inference(const onnx::Model& model, InferredShapes& out) : model_(model), out_(out), order_(model) {
    for (const onnx::Opset& opset : model.opsets())
      if (opset.domain.empty() || opset.domain == "ai.onnx") opset_ = opset.version;
    for (GraphId id = 0; id < model.graphs().size(); ++id) {
      const Graph& graph = model.graphs()[id];
      if (graph.kind == Graph::Kind::body) bodies_[graph.owner].push_back(id);
      if (graph.kind == Graph::Kind::function)
        functions_.try_emplace(function_key(graph.domain, graph.name, graph.overload), id);
    }
    visits_left_ = visits_per_node * (model.node_count() + std::size_t{model.value_count()}) + extra_visits;
    is_read_.resize(model.value_count());
    for (NodeId id = 0; id < model.node_count(); ++id)
      for (const ValueId value : model.node(id).inputs())
        if (value != onnx::none) is_read_[value] = true;
    for (const Graph& graph : model.graphs())
      for (const ValueId value : graph.outputs)
        if (value != onnx::none) is_read_[value] = true;
    is_started_.resize(model.graphs().size());
    is_too_deep_.resize(model.graphs().size());
  }

  void run() { run_graph(0, 1, 0); }

 private:
  static std::string function_key(std::string_view domain, std::string_view name, std::string_view overload) {
    std::string key(domain);
    for (const std::string_view part : {name, overload}) (key += '\0') += part;
    return key;
  }

  void leave_work_unknown(NodeId id) {
    const onnx::Node node = model_.node(id);
    if (counts_macs(node.domain(), node.op_type())) out_.work[id].macs = {};
  }

  void read_known_values(GraphId id) {
    if (is_started_[id]) return;
    is_started_[id] = true;
    const Graph& graph = model_.graphs()[id];
    for (const std::string_view info : model_.value_infos(graph))
      value_infos_.insert_or_assign(value_key(id, info), info);
    for (const std::string_view info : graph.output_infos)
      value_infos_.insert_or_assign(value_key(id, info), info);
    for (std::uint32_t i = 0; i < graph.initializer_count; ++i) {
      const onnx::Initializer& one = model_.initializers()[graph.first_initializer + i];
      if (one.value == onnx::none || !is_read_[one.value]) continue;
      const onnx::TensorView header = model_.tensor(one);
      out_.values.set_shape(one.value, shape_of_tensor(header));
      out_.values.set_type(one.value, header.data_type);
      if (!one.sparse) out_.values.set_content(one.value, small_content({one.bytes}, header));
    }
    for (std::size_t i = 0; i < graph.inputs.size() && i < graph.input_infos.size(); ++i)
      if (graph.inputs[i] != onnx::none) complete_from_info(graph.inputs[i], graph.input_infos[i]);
  }

  struct ValueKey {
    GraphId graph;
    std::string_view name;
    bool operator==(const ValueKey&) const = default;
  };
  struct ValueKeyHash {
    std::size_t operator()(const ValueKey& key) const {
      return std::hash<std::string_view>()(key.name) * 31 + key.graph;
    }
  };
  static ValueKey value_key(GraphId graph, std::string_view info) {
    std::string_view name;
    for (wire::Fields field(info); field.next();)
      if (field.tag() == wire::bytes_tag(1)) name = field.bytes();  // ValueInfoField::name
    return {graph, name};
  }

  // Uses the value info in the file for what inference does not find.
  void complete_from_info(ValueId value, std::string_view info) {
    const onnx::ValueInfoView view = onnx::read_value_info(info);
    if (!view.is_tensor) return;
    if (out_.values.type(value) == DataType::undefined) out_.values.set_type(value, view.elem_type);
    if (!view.has_shape || view.dims.size() > Shape::max_rank) return;
    Shape shape = out_.values.shape(value);
    if (!shape.known()) shape = Shape::of_rank(view.dims.size());
    if (shape.rank() != view.dims.size()) return;
    bool is_changed = !out_.values.shape(value).known();
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      const onnx::Dimension& dim = view.dims[i];
      if (shape[i].is_number() || (dim.value && *dim.value < 0)) continue;
      if (!dim.value && shape[i].known()) continue;
      shape[i] = dim.value ? Size(*dim.value) : out_.sizes.parse_dimension(dim.param);
      is_changed = true;
    }
    if (is_changed) out_.values.set_shape(value, shape);
  }

  void run_graph(GraphId id, Size times, std::size_t depth) {
    const Graph& graph = model_.graphs()[id];
    if (depth > max_depth) {
      if (!is_too_deep_[id])
        for (NodeId i = 0; i < graph.node_count; ++i) leave_work_unknown(graph.first_node + i);
      is_too_deep_[id] = true;
      return;
    }
    read_known_values(id);
    order_.each(graph, [&](NodeId node) {
      if (visits_left_ == 0) return leave_work_unknown(node);
      --visits_left_;
      run_node(id, node, times, depth);
    });
  }

  void run_node(GraphId graph, NodeId id, Size times, std::size_t depth) {
    const onnx::Node node = model_.node(id);
    Work work;
    if (!functions_.empty() && call_function(node, times, depth)) {
    } else if (const Operator* known = find_operator(node.domain(), node.op_type())) {
      work = run_operator(*known, id);
    } else if (!bodies_.contains(id)) {
      out_.is_unknown_operator[id] = true;
      if (may_multiply(node.domain(), node.op_type())) work.macs = {};
    }
    if (!bodies_.empty())
      if (const auto bodies = bodies_.find(id); bodies != bodies_.end())
        run_bodies(node, bodies->second, times, depth);
    for (const ValueId value : node.outputs())
      if (value != onnx::none)
        if (const auto info = value_infos_.find({graph, model_.value_name(value)});
            info != value_infos_.end())
          complete_from_info(value, info->second);
    Work& all = out_.work[id];
    all.macs = out_.sizes.add(all.macs, out_.sizes.multiply(work.macs, times));
    all.elementwise = out_.sizes.add(all.elementwise, out_.sizes.multiply(work.elementwise, times));
  }

  Work run_operator(const Operator& known, NodeId id) {
    InferenceContext context(model_, id, opset_, out_.values, out_.sizes);
    switch (known.output_type) {
      case OutputType::as_first_input: set_type(context, context.type(0)); break;
      case OutputType::as_second_input: set_type(context, context.type(1)); break;
      case OutputType::boolean: set_type(context, DataType::boolean); break;
      case OutputType::int64: set_type(context, DataType::int64); break;
      case OutputType::cast: set_type(context, static_cast<DataType>(context.integer("to", 0))); break;
      case OutputType::other: break;
    }
    known.rule(context);
    if (known.elementwise_work == ElementwiseWork::output)
      context.work.elementwise = context.output_elements();
    if (known.elementwise_work == ElementwiseWork::input)
      context.work.elementwise = context.elements(context.shape(0));
    return context.work;
  }

  static void set_type(InferenceContext& context, DataType type) {
    for (std::size_t i = 0; i < context.output_count(); ++i) context.set_type(i, type);
  }

  // Processes the body of a function with the shapes of this call. The work counts for the nodes of the body.
  bool call_function(const onnx::Node& node, Size times, std::size_t depth) {
    const auto found = functions_.find(function_key(node.domain(), node.op_type(), node.overload()));
    if (found == functions_.end()) return false;
    const Graph& body = model_.graphs()[found->second];
    const auto pass = [&](ValueId to, ValueId from) {
      if (to == onnx::none) return;
      out_.values.set_shape(to, from == onnx::none ? Shape() : out_.values.shape(from));
      out_.values.set_content(to, from == onnx::none ? std::nullopt : out_.values.content(from));
      out_.values.set_type(to, from == onnx::none ? DataType::undefined : out_.values.type(from));
    };
    const auto inputs = node.inputs(), outputs = node.outputs();
    visits_left_ -= std::min(visits_left_, (body.inputs.size() + body.outputs.size()) / 2);
    for (std::size_t i = 0; i < body.inputs.size(); ++i)
      pass(body.inputs[i], i < inputs.size() ? inputs[i] : onnx::none);
    run_graph(found->second, times, depth + 1);
    for (std::size_t i = 0; i < outputs.size() && i < body.outputs.size(); ++i)
      pass(outputs[i], body.outputs[i]);
    return true;
  }

  void run_bodies(const onnx::Node& node, std::vector<GraphId> bodies, Size times, std::size_t depth) {
    if (node.op_type() == "If") drop_dead_branch(node, bodies);
    for (const GraphId body : bodies) run_graph(body, out_.sizes.multiply(times, run_count(node)), depth + 1);
    if (node.op_type() == "If" && bodies.size() <= 2) join_branches(node, bodies);
  }

  // Exporters write an If whose condition depends only on sizes, such as whether two are equal.
  void drop_dead_branch(const onnx::Node& node, std::vector<GraphId>& bodies) {
    const auto inputs = node.inputs();
    if (inputs.empty() || inputs[0] == onnx::none) return;
    const Content condition = out_.values.content(inputs[0]);
    if (!condition || condition->size() != 1 || !condition->front().is_number()) return;
    const std::string_view dead = condition->front().value != 0 ? "else_branch" : "then_branch";
    std::erase_if(bodies, [&](GraphId body) { return model_.graphs()[body].attribute == dead; });
  }

  // The number of runs of a body: the trip count of a loop if it is constant, otherwise unknown.
  Size run_count(const onnx::Node& node) {
    if (node.op_type() == "If") return 1;
    const auto inputs = node.inputs();
    if (node.op_type() == "Loop" && !inputs.empty() && inputs[0] != onnx::none)
      if (const Content count = out_.values.content(inputs[0]); count && count->size() == 1)
        return count->front().is_number() && count->front().value < 0 ? Size(0) : count->front();
    return {};
  }

  // An output of If gets the facts on which both branches agree.
  void join_branches(const onnx::Node& node, const std::vector<GraphId>& bodies) {
    const auto outputs = node.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == onnx::none) continue;
      Shape shape;
      bool first = true;
      for (const GraphId body : bodies) {
        const auto& given = model_.graphs()[body].outputs;
        const Shape other =
            i < given.size() && given[i] != onnx::none ? out_.values.shape(given[i]) : Shape();
        if (first) shape = other;
        first = false;
        if (!other.known() || !shape.known() || other.rank() != shape.rank()) {
          shape = Shape();
          continue;
        }
        for (std::size_t d = 0; d < shape.rank(); ++d)
          if (!(shape[d] == other[d])) shape[d] = Size();
      }
      out_.values.set_shape(outputs[i], shape);
    }
  }

  const onnx::Model& model_;
  InferredShapes& out_;
  TopologicalOrder order_;
  std::int64_t opset_ = 0;
  std::unordered_map<NodeId, std::vector<GraphId>> bodies_;
  std::unordered_map<std::string, GraphId> functions_;
  std::unordered_map<ValueKey, std::string_view, ValueKeyHash> value_infos_;
  std::vector<bool> is_started_, is_too_deep_;
  std::vector<bool> is_read_;  // by value: shapes of unread weights are not needed
  std::size_t visits_left_ = 0;
};

}  // namespace

InferredShapes infer(const onnx::Model& model, NamedSizes given) {
  InferredShapes out(model, std::move(given));
  Inference(model, out).run();
  return out;
}

std::string text_of(const Shape& shape, const Sizes& sizes) {
  if (!shape.known()) return "?";
  std::string text = "[";
  for (const Size size : shape.sizes()) text += (text.size() > 1 ? ", " : "") + sizes.text(size);
  return text + "]";
}

}  // namespace thence::shapes
