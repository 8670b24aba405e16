#include "onnx/reader.h"

#include <algorithm>

#include "base/changed_file.h"
#include "onnx/bind.h"
#include "onnx/errors.h"
#include "onnx/layout.h"

namespace thence::onnx {
namespace {

using wire::bytes_tag;
using wire::Fields;
using wire::varint_tag;

Opset read_opset(std::string_view message) {
  Opset opset;
  for (Fields field(message); field.next();) {
    if (field.tag() == bytes_tag(OpsetField::domain)) opset.domain = field.bytes();
    if (field.tag() == varint_tag(OpsetField::version))
      opset.version = static_cast<std::int64_t>(field.varint());
  }
  return opset;
}

}  // namespace

Reader::Reader(std::string_view bytes, const std::string& label, Diagnostics& diagnostics)
    : diagnostics_(diagnostics) {
  model_.bytes_ = bytes;
  model_.label_ = label;
}

Result<Model> Reader::read(Memory memory, base::ReadAhead* ahead) {
  if (model_.bytes_.empty()) return empty_file(model_.label_);
  const wire::Survey survey =
      wire::survey(model_.bytes_, static_cast<std::uint8_t>(MessageKind::model), layout(), ahead);
  if (survey.fault != wire::Fault::none) return undecodable(model_.label_, model_.bytes_, survey);
  const Counts counts(model_.bytes_.size(), survey);
  if (counts.graph_pieces == 0) return no_graph(model_.label_, model_.bytes_);
  if (auto error = check_limits(model_.label_, counts)) return *error;
  if (memory == Memory::mapped)
    if (auto error = keep_structure(survey)) return *error;
  reserve_memory(counts);
  nodes_in_order_ = survey.in_order(static_cast<std::uint8_t>(MessageKind::node));
  fill_model();
  if (long_name_) return long_name(model_.label_, long_name_->size(), offset_of(*long_name_));
  if (too_many_names_) return too_many_names(model_.label_, counts);
  model_.names_.seal();
  Binder(model_, diagnostics_).bind();
  return std::move(model_);
}

// What was surveyed before it was copied may have changed in between. If the copy gives the same survey, it
// has every byte that the survey read.
std::optional<Error> Reader::keep_structure(const wire::Survey& survey) const {
  if (auto error = base::make_private(model_.bytes_, survey.large_data)) return error;
  if (wire::survey(model_.bytes_, static_cast<std::uint8_t>(MessageKind::model), layout()) == survey)
    return std::nullopt;
  return base::changed_file(model_.label_);
}

// The survey gives exact sizes, so the arrays are never reallocated and use no spare memory.
void Reader::reserve_memory(const Counts& counts) {
  model_.nodes_.reserve(counts.nodes + 1);
  model_.inputs_.reserve(counts.inputs);
  model_.outputs_.reserve(counts.outputs);
  model_.initializers_.reserve(counts.initializers);
  model_.opsets_.reserve(counts.opsets);
  model_.graphs_.reserve(1 + counts.bodies + counts.functions);
  has_bodies_ = counts.bodies > 0;
  // Most outputs have distinct names, but no more than the file has bytes for.
  const std::uint64_t named = counts.named_outputs + counts.initializers + counts.graph_inputs;
  model_.names_ = NameTable(model_.bytes_, std::min(named, counts.structure_bytes / 16) + 64);
  max_names_ = counts.max_names();
}

void Reader::fill_model() {
  Graph main;
  std::vector<std::string_view> functions;
  for (Fields field(model_.bytes_); field.next();) switch (field.tag()) {
      case varint_tag(ModelField::ir_version):
        model_.ir_version_ = static_cast<std::int64_t>(field.varint());
        break;
      case varint_tag(ModelField::model_version):
        model_.model_version_ = static_cast<std::int64_t>(field.varint());
        break;
      case bytes_tag(ModelField::producer_name): model_.producer_name_ = field.bytes(); break;
      case bytes_tag(ModelField::producer_version): model_.producer_version_ = field.bytes(); break;
      case bytes_tag(ModelField::domain): model_.domain_ = field.bytes(); break;
      case bytes_tag(ModelField::doc_string): model_.doc_string_ = field.bytes(); break;
      case bytes_tag(ModelField::graph): main.bytes.push_back(field.bytes()); break;
      case bytes_tag(ModelField::functions): functions.push_back(field.bytes()); break;
      case bytes_tag(ModelField::opset_import): model_.opsets_.push_back(read_opset(field.bytes())); break;
      default: break;
    }
  fill_graph(std::move(main));
  for (const std::string_view message : functions) {
    Graph function;
    function.kind = Graph::Kind::function;
    function.bytes = {message};
    fill_graph(std::move(function));
  }
  // An extra entry at the end, so that every range has an end.
  model_.nodes_.emplace_back();
  model_.nodes_.back().first_input = static_cast<std::uint32_t>(model_.inputs_.size());
  model_.nodes_.back().first_output = static_cast<std::uint32_t>(model_.outputs_.size());
}

// Fills one graph and, depth first, its bodies. Uses an explicit stack instead of recursion.
void Reader::fill_graph(Graph root) {
  std::vector<Graph> pending;
  pending.push_back(std::move(root));
  while (!pending.empty()) {
    const auto id = static_cast<GraphId>(model_.graphs_.size());
    model_.graphs_.push_back(std::move(pending.back()));
    pending.pop_back();
    std::vector<Graph> bodies;
    fill_fields(id, bodies);
    std::move(bodies.rbegin(), bodies.rend(), std::back_inserter(pending));
  }
}

void Reader::fill_fields(GraphId id, std::vector<Graph>& bodies) {
  Graph& graph = model_.graphs_[id];
  graph.first_node = static_cast<NodeId>(model_.nodes_.size());
  graph.first_initializer = static_cast<std::uint32_t>(model_.initializers_.size());
  std::vector<std::string_view> sparse;  // numbered after the dense ones, wherever they are in the file
  for (const std::string_view piece : graph.bytes) {
    if (graph.kind == Graph::Kind::function) {
      fill_function(piece, id, bodies);
      continue;
    }
    for (Fields field(piece); field.next();) switch (field.tag()) {
        case bytes_tag(GraphField::node): fill_node(field.bytes(), id, bodies); break;
        case bytes_tag(GraphField::name): graph.name = field.bytes(); break;
        case bytes_tag(GraphField::initializer): add_initializer(field.bytes(), id, false); break;
        case bytes_tag(GraphField::sparse_initializer): sparse.push_back(field.bytes()); break;
        case bytes_tag(GraphField::input):
          graph.input_infos.push_back(field.bytes());
          graph.inputs.push_back(intern(last_text_field(field.bytes(), ValueInfoField::name)));
          break;
        case bytes_tag(GraphField::output):
          graph.output_infos.push_back(field.bytes());
          graph.outputs.push_back(intern(last_text_field(field.bytes(), ValueInfoField::name)));
          break;
        default: break;
      }
  }
  for (const std::string_view message : sparse) add_initializer(message, id, true);
  graph.node_count = static_cast<NodeId>(model_.nodes_.size()) - graph.first_node;
  graph.initializer_count = static_cast<std::uint32_t>(model_.initializers_.size()) - graph.first_initializer;
}

void Reader::fill_function(std::string_view message, GraphId id, std::vector<Graph>& bodies) {
  Graph& graph = model_.graphs_[id];
  for (Fields field(message); field.next();) switch (field.tag()) {
      case bytes_tag(FunctionField::name): graph.name = field.bytes(); break;
      case bytes_tag(FunctionField::domain): graph.domain = field.bytes(); break;
      case bytes_tag(FunctionField::overload): graph.overload = field.bytes(); break;
      case bytes_tag(FunctionField::input): graph.inputs.push_back(intern(field.bytes())); break;
      case bytes_tag(FunctionField::output): graph.outputs.push_back(intern(field.bytes())); break;
      case bytes_tag(FunctionField::node): fill_node(field.bytes(), id, bodies); break;
      default: break;
    }
}

void Reader::fill_node(std::string_view message, GraphId graph, std::vector<Graph>& bodies) {
  const auto id = static_cast<NodeId>(model_.nodes_.size());
  Model::NodeRecord& record = model_.nodes_.emplace_back();
  record.begin = offset_of(message);
  record.end = record.begin + message.size();
  record.first_input = static_cast<std::uint32_t>(model_.inputs_.size());
  record.first_output = static_cast<std::uint32_t>(model_.outputs_.size());
  const auto link = [&](std::vector<std::uint32_t>& links, std::string_view name) {
    links.push_back(none);
    if (!name.empty()) intern_later(name, &links.back());
  };
  for (Fields field(message); field.next();) {
    // Long metadata follows. Skip it, because even stepping over it waits for memory.
    if (field.tag() > bytes_tag(NodeField::domain)) {
      model_.any_node_metadata_ = true;
      if (nodes_in_order_) break;
    }
    const std::string_view bytes = field.bytes();
    switch (field.tag()) {
      case bytes_tag(NodeField::input): link(model_.inputs_, bytes); break;
      case bytes_tag(NodeField::output): link(model_.outputs_, bytes); break;
      case bytes_tag(NodeField::name):
        if (check_name(bytes)) record.name = Slice(offset_of(bytes), bytes.size());
        break;
      case bytes_tag(NodeField::op_type): record.op_type = intern_operator(bytes); break;
      case bytes_tag(NodeField::domain): intern_later(bytes, &record.domain); break;
      case bytes_tag(NodeField::attribute):
        if (has_bodies_) find_bodies(bytes, graph, id, bodies);
        break;
      default: break;
    }
  }
}

void Reader::find_bodies(std::string_view attribute, GraphId graph, NodeId owner,
                         std::vector<Graph>& bodies) {
  Graph body;
  body.kind = Graph::Kind::body;
  body.parent = graph;
  body.owner = owner;
  std::vector<std::string_view> listed;
  for (Fields field(attribute); field.next();) switch (field.tag()) {
      case bytes_tag(AttributeField::name): body.attribute = field.bytes(); break;
      case bytes_tag(AttributeField::g): body.bytes.push_back(field.bytes()); break;
      case bytes_tag(AttributeField::graphs): listed.push_back(field.bytes()); break;
      default: break;
    }
  if (!body.bytes.empty()) bodies.push_back(body);
  body.in_list = true;
  for (const std::string_view bytes : listed) {
    body.bytes = {bytes};
    bodies.push_back(body);
    ++body.position;
  }
}

void Reader::add_initializer(std::string_view message, GraphId graph, bool sparse) {
  std::string_view name;
  if (!sparse) name = last_text_field(message, TensorField::name);
  // The name of a sparse tensor is the name of its values.
  if (sparse)
    for (Fields field(message); field.next();)
      if (field.tag() == bytes_tag(SparseTensorField::values))
        for (Fields inner(field.bytes()); inner.next();)
          if (inner.tag() == bytes_tag(TensorField::name)) name = inner.bytes();
  model_.initializers_.push_back({name.empty() ? none : intern(name), graph, message, sparse});
}

// A model has few operators, so the name is nearly always one of the last few.
std::uint32_t Reader::intern_operator(std::string_view name) {
  if (name.empty()) return intern(name);
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(name[at]); };
  Operator& seen = operators_[(name.size() * 37 + byte(0) * 5u + byte(name.size() - 1)) % operators_.size()];
  if (seen.name != name) seen = {name, intern(name)};
  return seen.number;
}

bool Reader::check_name(std::string_view name) {
  if (name.size() <= Slice::max_length && model_.names_.size() < max_names_) return true;
  if (name.size() > Slice::max_length && !long_name_) long_name_ = name;
  too_many_names_ = model_.names_.size() >= max_names_;
  return false;
}

}  // namespace thence::onnx
