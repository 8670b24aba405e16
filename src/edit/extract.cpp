#include "edit/extract.h"

#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::edit {
namespace {

using onnx::AttributeField;
using onnx::GraphField;
using onnx::ModelField;
using onnx::NodeField;
using onnx::ValueInfoField;
using wire::bytes_tag;

using NewNames = std::unordered_map<std::string_view, std::string_view>;

enum class MessageType { node, attribute, graph };

// Renames values in a node and in its bodies. Recursion is safe: find_subgraph() rejects deeply nested
// bodies.
std::string rename_values(std::string_view message, MessageType kind, const NewNames& names) {
  std::string out;
  for (wire::Fields field(message); field.next();) {
    const std::uint32_t tag = field.tag();
    const auto inner = [&](MessageType what) {
      wire::append_field(out, field.field(), rename_values(field.bytes(), what, names));
    };
    if (kind == MessageType::node &&
        (tag == bytes_tag(NodeField::input) || tag == bytes_tag(NodeField::output))) {
      const auto found = names.find(field.bytes());
      wire::append_field(out, field.field(), found == names.end() ? field.bytes() : found->second);
    } else if (kind == MessageType::node && tag == bytes_tag(NodeField::attribute)) {
      inner(MessageType::attribute);
    } else if (kind == MessageType::attribute &&
               (tag == bytes_tag(AttributeField::g) || tag == bytes_tag(AttributeField::graphs))) {
      inner(MessageType::graph);
    } else if (kind == MessageType::graph && tag == bytes_tag(GraphField::node)) {
      inner(MessageType::node);
    } else {
      out.append(field.start(), static_cast<std::size_t>(field.rest() - field.start()));
    }
  }
  return out;
}

std::string value_info(std::string_view name, const std::string& type) {
  std::string out;
  wire::append_field(out, ValueInfoField::name, name);
  if (!type.empty()) wire::append_field(out, ValueInfoField::type, type);
  return out;
}

class SubgraphWriter {
 public:
  SubgraphWriter(const semantics::Map& map, const Subgraph& part, const Types& types)
      : model_(map.model()), part_(part), types_(types), splice_(model_.bytes(), model_.descriptor()) {
    for (const auto* edge : {&part.inputs, &part.outputs})
      for (const Boundary& boundary : *edge) names_.emplace(model_.value_name(boundary.value), boundary.name);
  }

  wire::Splice run(std::string_view graph_name) {
    std::string head;
    wire::append_varint(head, wire::varint_tag(ModelField::ir_version));
    wire::append_varint(head, static_cast<std::uint64_t>(model_.ir_version()));
    wire::append_field(head, ModelField::producer_name, "thence");
    wire::append_field(head, ModelField::producer_version, THENCE_VERSION);
    splice_.insert(head);
    splice_.open(bytes_tag(ModelField::graph));
    write_graph(graph_name);
    splice_.close();
    for (wire::Fields field(model_.bytes()); field.next();)
      if (field.tag() == bytes_tag(ModelField::opset_import) ||
          field.tag() == bytes_tag(ModelField::functions))
        splice_.copy({field.start(), static_cast<std::size_t>(field.rest() - field.start())});
    return std::move(splice_);
  }

 private:
  void write_graph(std::string_view name) {
    for (const onnx::NodeId id : part_.nodes)
      insert(GraphField::node, rename_values(model_.node(id).bytes(), MessageType::node, names_));
    insert(GraphField::name, name);
    for (const std::uint32_t index : part_.initializers) {
      const onnx::Initializer& initializer = model_.initializers()[index];
      splice_.open(bytes_tag(initializer.sparse ? GraphField::sparse_initializer : GraphField::initializer));
      splice_.copy(initializer.bytes);
      splice_.close();
    }
    write_boundary(GraphField::input, part_.inputs);
    write_boundary(GraphField::output, part_.outputs);
    write_value_infos();
  }

  void write_boundary(GraphField field, const std::vector<Boundary>& values) {
    for (const Boundary& boundary : values) {
      const auto type = types_.find(std::string(model_.value_name(boundary.value)));
      insert(field, value_info(boundary.name, type == types_.end() ? std::string() : type->second));
    }
  }

  void write_value_infos() {
    for (const onnx::NodeId id : part_.nodes)
      for (const onnx::ValueId value : model_.node(id).outputs()) {
        if (value == onnx::none || names_.contains(model_.value_name(value))) continue;
        const auto type = types_.find(std::string(model_.value_name(value)));
        if (type != types_.end()) insert(GraphField::value_info, value_info(type->first, type->second));
      }
  }

  void insert(GraphField field, std::string_view payload) {
    std::string text;
    wire::append_field(text, field, payload);
    splice_.insert(text);
  }

  const onnx::Model& model_;
  const Subgraph& part_;
  const Types& types_;
  NewNames names_;
  wire::Splice splice_;
};

}  // namespace

wire::Splice extract_model(const semantics::Map& map, const Subgraph& part, const Types& types) {
  const std::string_view path = map.tree()[part.module].path;
  return SubgraphWriter(map, part, types).run(path.empty() ? std::string_view("main") : path);
}

}  // namespace thence::edit
