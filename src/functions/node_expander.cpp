#include "functions/node_expander.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "functions/folded_format.h"
#include "functions/origin.h"
#include "onnx/layout.h"
#include "wire/fields.h"
#include "wire/splice.h"

namespace thence::functions {

using onnx::AttributeField;
using onnx::FunctionField;
using onnx::Graph;
using onnx::GraphField;
using onnx::GraphId;
using onnx::NodeField;
using onnx::NodeId;
using onnx::ValueId;
using wire::append_field;
using wire::bytes_tag;

namespace {

void append_whole(std::string& out, const wire::Fields& field) { out.append(field.start(), field.rest()); }

// A message with another name.
template <class Field>
std::string renamed(std::string_view message, Field name_field, std::string_view name) {
  std::string out;
  for (wire::Fields field(message); field.next();)
    if (field.tag() != bytes_tag(name_field)) append_whole(out, field);
  append_field(out, name_field, name);
  return out;
}

// The name of a sparse tensor is the name of its values.
std::string renamed_sparse(std::string_view message, std::string_view name) {
  std::string out;
  for (wire::Fields field(message); field.next();)
    if (field.tag() == bytes_tag(onnx::SparseTensorField::values))
      append_field(out, onnx::SparseTensorField::values,
                   renamed(field.bytes(), onnx::TensorField::name, name));
    else
      append_whole(out, field);
  return out;
}

}  // namespace

NodeExpander::NodeExpander(const onnx::Model& model, const CallGraph& calls, NodeLabels labels)
    : model_(model), calls_(calls), labels_(labels), bodies_(model) {
  names_.reserve(model.value_count());
  for (ValueId value = 0; value < model.value_count(); ++value) names_.push_back(model.value_name(value));
  for (GraphId id = 0; id < calls.end_of(0); ++id) {
    const Graph& graph = model.graphs()[id];
    for (const ValueId value : graph.inputs) value_names_.reserve(std::string(name_of(value)));
    for (NodeId node = graph.first_node; node < graph.first_node + graph.node_count; ++node) {
      node_names_.reserve(std::string(model.node(node).name()));
      for (const ValueId value : model.node(node).inputs()) value_names_.reserve(std::string(name_of(value)));
      for (const ValueId value : model.node(node).outputs())
        value_names_.reserve(std::string(name_of(value)));
    }
  }
  for (const onnx::Initializer& initializer : model.initializers())
    if (initializer.graph < calls.end_of(0)) value_names_.reserve(std::string(name_of(initializer.value)));
  if (labels == NodeLabels::origins) rename_outputs_of_calls();
}

// Their names contain the scopes of the calls, which are not those of the nodes. Outputs of a graph keep
// their names, which contain no scopes.
void NodeExpander::rename_outputs_of_calls() {
  is_renamed_.assign(model_.value_count(), false);
  std::vector<bool> is_graph_output(model_.value_count());
  for (const Graph& graph : model_.graphs())
    for (const ValueId value : graph.outputs)
      if (value != onnx::none) is_graph_output[value] = true;
  for (NodeId id = 0; id < model_.node_count() && model_.node(id).graph() < calls_.end_of(0); ++id) {
    if (calls_.callee(id) == onnx::none) continue;
    for (const ValueId value : model_.node(id).outputs()) {
      if (value == onnx::none || is_graph_output[value]) continue;
      names_[value] = texts_.store(value_names_.make_unique("value"));
      is_renamed_[value] = true;
    }
  }
}

bool NodeExpander::changes(NodeId id) const {
  if (calls_.has_calls(id)) return true;
  if (labels_ == NodeLabels::names) return false;
  const auto inputs = model_.node(id).inputs();
  return !bodies_.held_by(id).empty() || std::any_of(inputs.begin(), inputs.end(), [&](ValueId value) {
    return value != onnx::none && is_renamed_[value];
  });
}

std::string NodeExpander::expand(NodeId node) {
  std::string out;
  append_node(node, Frame(), out);
  return out;
}

void NodeExpander::append_node(NodeId id, const Frame& frame, std::string& out) {
  if (is_past_limits()) return;
  const onnx::Node node = model_.node(id);
  if (calls_.callee(id) != onnx::none) return append_call(node, frame, out);
  const std::string message = render_node(node, frame);
  bytes_ += message.size();
  append_field(out, GraphField::node, message);
}

// Recursion is limited by max_call_depth and max_body_depth.
void NodeExpander::append_call(const onnx::Node& call, const Frame& caller, std::string& out) {
  const Graph& function = model_.graphs()[calls_.callee(call.id())];
  const Frame frame = enter(call, caller);
  const std::vector<std::string> forwarded = bind_outputs(calls_.callee(call.id()), call);
  for (NodeId id = function.first_node; id < function.first_node + function.node_count; ++id)
    append_node(id, frame, out);
  for (const std::string& node : forwarded) append_field(out, GraphField::node, node);
  if (labels_ == NodeLabels::origins) append_value_infos(function, out);
}

// Shapes tell which operation a node was. Those of outputs are in the graph of the caller.
void NodeExpander::append_value_infos(const Graph& function, std::string& out) {
  const std::vector<std::string_view> infos = model_.value_infos(function);
  if (infos.empty()) return;
  std::unordered_map<std::string_view, ValueId> written;
  for (NodeId id = function.first_node; id < function.first_node + function.node_count; ++id)
    for (const ValueId value : model_.node(id).outputs())
      if (value != onnx::none) written.emplace(model_.value_name(value), value);
  for (const ValueId value : function.outputs)
    if (value != onnx::none) written.erase(model_.value_name(value));
  for (const std::string_view info : infos) {
    const auto value = written.find(onnx::last_text_field(info, onnx::ValueInfoField::name));
    if (value == written.end()) continue;
    const std::string message = renamed(info, onnx::ValueInfoField::name, name_of(value->second));
    bytes_ += message.size();
    append_field(out, GraphField::value_info, message);
  }
}

Frame NodeExpander::enter(const onnx::Node& call, const Frame& caller) {
  const GraphId id = calls_.callee(call.id());
  const Graph& function = model_.graphs()[id];
  Frame frame;
  frame.renames = true;
  frame.is_single = calls_.instances(id) == 1;
  name_frame(frame, caller, function.domain == folded_domain, call.name(), function.name);
  if (labels_ == NodeLabels::origins) frame.origin = caller.origin + std::to_string(call.id()) + '.';
  bind_attributes(call, caller, frame);
  bind_metadata(call, caller, frame);
  bytes_ += frame.prefix.size() + frame.path.size() + frame.origin.size();
  name_values(id, frame);
  for (std::size_t i = 0; i < function.inputs.size(); ++i)
    names_[function.inputs[i]] = i < call.inputs().size() ? name_of(call.inputs()[i]) : std::string_view();
  return frame;
}

// Attributes of the call, and the defaults of the others. An attribute of the call may itself refer to one of
// the caller.
void NodeExpander::bind_attributes(const onnx::Node& call, const Frame& caller, Frame& frame) {
  const Graph& function = model_.graphs()[calls_.callee(call.id())];
  bool has_parameters = false;
  for (wire::Fields field(function.bytes.front()); field.next();) {
    has_parameters |= field.tag() == bytes_tag(FunctionField::attribute);
    if (field.tag() != bytes_tag(FunctionField::attribute_proto)) continue;
    has_parameters = true;
    frame.attributes[std::string(onnx::last_text_field(field.bytes(), AttributeField::name))] = field.bytes();
  }
  if (!has_parameters) return;
  Bodies bodies = bodies_.held_by(call.id());
  for (wire::Fields field(call.bytes()); field.next();) {
    if (field.tag() != bytes_tag(NodeField::attribute)) continue;
    std::string attribute = render_attribute(field.bytes(), caller, bodies);
    bytes_ += attribute.size();
    if (!attribute.empty())
      frame.attributes[std::string(onnx::last_text_field(field.bytes(), AttributeField::name))] =
          std::move(attribute);
  }
}

// The nodes of a function stand for the call, so they inherit what an exporter wrote about it.
void NodeExpander::bind_metadata(const onnx::Node& call, const Frame& caller, Frame& frame) const {
  for (wire::Fields field(call.bytes()); field.next();) {
    if (field.tag() != bytes_tag(NodeField::metadata_props)) continue;
    const std::string_view key = onnx::read_metadata_entry(field.bytes()).key;
    if (!key.starts_with(folded_domain))
      frame.metadata.emplace_back(key, std::string(field.start(), field.rest()));
  }
  const std::size_t own = frame.metadata.size();
  for (const auto& [key, text] : caller.metadata) {
    const auto end = frame.metadata.begin() + static_cast<std::ptrdiff_t>(own);
    if (std::none_of(frame.metadata.begin(), end,
                     [&key = key](const auto& entry) { return entry.first == key; }))
      frame.metadata.emplace_back(key, text);
  }
}

void NodeExpander::name_values(GraphId function, const Frame& frame) {
  const auto name_if_inner = [&](ValueId value) {
    if (value != onnx::none && model_.producer(value).kind == onnx::Producer::Kind::undefined)
      name_value(value, frame);
  };
  for (GraphId id = function; id < calls_.end_of(function); ++id) {
    const Graph& graph = model_.graphs()[id];
    if (id != function)
      for (const ValueId value : graph.inputs) name_value(value, frame);
    for (std::uint32_t i = graph.first_initializer; i < graph.first_initializer + graph.initializer_count;
         ++i)
      if (model_.initializers()[i].value != onnx::none) name_value(model_.initializers()[i].value, frame);
    for (NodeId node = graph.first_node; node < graph.first_node + graph.node_count; ++node) {
      for (const ValueId value : model_.node(node).inputs()) name_if_inner(value);
      for (const ValueId value : model_.node(node).outputs())
        if (value != onnx::none) name_value(value, frame);
    }
  }
}

void NodeExpander::name_value(ValueId value, const Frame& frame) {
  const std::string_view name = model_.value_name(value);
  std::string unique(name);
  if (labels_ == NodeLabels::origins)
    unique = value_names_.make_unique("value");
  else if (!frame.is_single || !value_names_.reserve(unique))
    unique = value_names_.make_unique(frame.prefix + "/" + std::string(name));
  bytes_ += unique.size();
  names_[value] = texts_.store(unique);
}

// An output that no node of the function writes, or that is given out twice, is copied.
std::vector<std::string> NodeExpander::bind_outputs(GraphId function, const onnx::Node& call) {
  std::vector<std::string> forwarded;
  std::unordered_set<ValueId> bound;
  const std::vector<ValueId>& outputs = model_.graphs()[function].outputs;
  for (std::size_t i = 0; i < std::min(outputs.size(), call.outputs().size()); ++i) {
    if (call.outputs()[i] == onnx::none) continue;
    const std::string_view name = name_of(call.outputs()[i]);
    const bool is_written = model_.producer(outputs[i]).kind == onnx::Producer::Kind::node;
    if (is_written && bound.insert(outputs[i]).second) {
      names_[outputs[i]] = name;
      continue;
    }
    std::string& node = forwarded.emplace_back();
    append_field(node, NodeField::input, name_of(outputs[i]));
    append_field(node, NodeField::output, name);
    append_field(node, NodeField::op_type, "Identity");
    bytes_ += node.size();
  }
  return forwarded;
}

std::string NodeExpander::node_name(std::string_view name, const Frame& frame) {
  if (!frame.renames || name.empty()) return std::string(name);
  if (frame.is_single && node_names_.reserve(std::string(name))) return std::string(name);
  return node_names_.make_unique(frame.prefix + "/" + std::string(name));
}

std::string NodeExpander::render_node(const onnx::Node& node, const Frame& frame) {
  std::string out;
  std::size_t inputs = 0, outputs = 0;
  Bodies bodies = bodies_.held_by(node.id());
  for (wire::Fields field(node.bytes()); field.next();) {
    if (field.tag() == bytes_tag(NodeField::input)) {
      append_field(out, NodeField::input, name_of(node.inputs()[inputs++]));
    } else if (field.tag() == bytes_tag(NodeField::output)) {
      append_field(out, NodeField::output, name_of(node.outputs()[outputs++]));
    } else if (field.tag() == bytes_tag(NodeField::name)) {
      if (frame.origin.empty()) append_field(out, NodeField::name, node_name(field.bytes(), frame));
    } else if (field.tag() == bytes_tag(NodeField::attribute)) {
      const std::string attribute = render_attribute(field.bytes(), frame, bodies);
      if (!attribute.empty()) append_field(out, NodeField::attribute, attribute);
    } else {
      append_whole(out, field);
    }
  }
  append_metadata(node, frame, out);
  return out;
}

void NodeExpander::append_metadata(const onnx::Node& node, const Frame& frame, std::string& out) const {
  if (!frame.origin.empty()) {
    std::string entry;
    append_field(entry, onnx::EntryField::key, origin_key);
    append_field(entry, onnx::EntryField::value, frame.origin + std::to_string(node.id()));
    append_field(out, NodeField::metadata_props, entry);
  }
  if (frame.metadata.empty()) return;
  const std::vector<onnx::MetadataEntry> own = node.metadata();
  for (const auto& [key, text] : frame.metadata)
    if (std::none_of(own.begin(), own.end(), [&key = key](const auto& entry) { return entry.key == key; }))
      out += text;
}

// Empty if the attribute refers to one that is not given, and so is not given either.
std::string NodeExpander::render_attribute(std::string_view attribute, const Frame& frame, Bodies& bodies) {
  const std::string_view reference = onnx::last_text_field(attribute, AttributeField::ref_attr_name);
  if (!reference.empty() && frame.renames) {
    const auto given = frame.attributes.find(std::string(reference));
    if (given == frame.attributes.end()) return {};
    return renamed(given->second, AttributeField::name,
                   onnx::last_text_field(attribute, AttributeField::name));
  }
  std::string out;
  const auto take_body = [&](AttributeField number) {
    if (bodies.empty()) return;
    append_field(out, number, render_graph(bodies.front(), frame));
    bodies = bodies.subspan(1);
  };
  std::size_t listed = 0;
  bool has_body = false;
  for (wire::Fields field(attribute); field.next();) {
    if (field.tag() == bytes_tag(AttributeField::g)) {
      if (!has_body) take_body(AttributeField::g);  // several pieces are one body
      has_body = true;
    } else if (field.tag() == bytes_tag(AttributeField::graphs)) {
      ++listed;
    } else {
      append_whole(out, field);
    }
  }
  for (; listed > 0; --listed) take_body(AttributeField::graphs);
  return out;
}

std::string NodeExpander::render_graph(GraphId id, const Frame& frame) {
  const Graph& graph = model_.graphs()[id];
  std::string out;
  is_too_deep_ |= body_depth_ >= max_body_depth;
  if (is_too_deep_) return out;
  ++body_depth_;
  NodeId node = graph.first_node;
  std::uint32_t dense = graph.first_initializer, sparse = graph.first_initializer;
  std::size_t inputs = 0, outputs = 0;
  const auto tag_is = [](const wire::Fields& field, GraphField number) {
    return field.tag() == bytes_tag(number);
  };
  for (const std::string_view piece : graph.bytes)  // sparse initializers are numbered after the dense ones
    for (wire::Fields field(piece); field.next();) sparse += tag_is(field, GraphField::initializer);
  const auto info = [&](const wire::Fields& field, ValueId value) {
    append_field(out, field.field(), renamed(field.bytes(), onnx::ValueInfoField::name, name_of(value)));
  };
  for (const std::string_view piece : graph.bytes)
    for (wire::Fields field(piece); field.next();) {
      if (tag_is(field, GraphField::node))
        append_node(node++, frame, out);
      else if (tag_is(field, GraphField::input))
        info(field, graph.inputs[inputs++]);
      else if (tag_is(field, GraphField::output))
        info(field, graph.outputs[outputs++]);
      else if (tag_is(field, GraphField::initializer))
        append_field(
            out, GraphField::initializer,
            renamed(field.bytes(), onnx::TensorField::name, name_of(model_.initializers()[dense++].value)));
      else if (tag_is(field, GraphField::sparse_initializer))
        append_field(out, GraphField::sparse_initializer,
                     renamed_sparse(field.bytes(), name_of(model_.initializers()[sparse++].value)));
      else if (!tag_is(field, GraphField::value_info) || !frame.renames)
        append_whole(out, field);  // value infos name values of the function
    }
  --body_depth_;
  return out;
}

}  // namespace thence::functions
