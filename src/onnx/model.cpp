#include "onnx/model.h"

#include <algorithm>

#include "base/changed_file.h"
#include "base/format.h"
#include "onnx/layout.h"
#include "onnx/limits.h"
#include "onnx/reader.h"
#include "wire/fields.h"

namespace thence::onnx {
namespace {

using wire::bytes_tag;
using wire::Fields;

}  // namespace

GraphId Node::graph() const {
  const auto& graphs = model_->graphs_;
  if (graphs.size() == 1) return 0;
  const auto after = std::upper_bound(graphs.begin(), graphs.end(), id_,
                                      [](NodeId id, const Graph& graph) { return id < graph.first_node; });
  // An empty graph begins where the next one begins, so the last graph that begins at or before a node
  // contains it.
  return static_cast<GraphId>(std::prev(after) - graphs.begin());
}

std::uint32_t Node::index() const { return id_ - model_->graphs_[graph()].first_node; }
std::string_view Node::name() const { return model_->nodes_[id_].name.in(model_->bytes_); }
std::string_view Node::op_type() const { return model_->text(model_->nodes_[id_].op_type); }
std::string_view Node::domain() const { return model_->text(model_->nodes_[id_].domain); }
std::string_view Node::overload() const { return last_text_field(bytes(), NodeField::overload); }
std::string_view Node::doc_string() const { return last_text_field(bytes(), NodeField::doc_string); }

std::string_view Node::bytes() const {
  const auto& record = model_->nodes_[id_];
  return model_->bytes_.substr(record.begin, record.end - record.begin);
}

std::span<const ValueId> Node::inputs() const {
  const auto first = model_->nodes_[id_].first_input;
  return std::span(model_->inputs_).subspan(first, model_->nodes_[id_ + 1].first_input - first);
}

std::span<const ValueId> Node::outputs() const {
  const auto first = model_->nodes_[id_].first_output;
  return std::span(model_->outputs_).subspan(first, model_->nodes_[id_ + 1].first_output - first);
}

std::vector<AttributeView> Node::attributes() const {
  std::vector<AttributeView> all;
  for (Fields field(bytes()); field.next();)
    if (field.tag() == bytes_tag(NodeField::attribute)) all.push_back(read_attribute(field.bytes()));
  return all;
}

std::optional<AttributeView> Node::attribute(std::string_view name) const {
  for (Fields field(bytes()); field.next();)
    if (field.tag() == bytes_tag(NodeField::attribute) &&
        last_text_field(field.bytes(), AttributeField::name) == name)
      return read_attribute(field.bytes());
  return std::nullopt;
}

std::vector<MetadataEntry> Node::metadata() const {
  return read_metadata({bytes()}, static_cast<std::uint32_t>(NodeField::metadata_props));
}

std::vector<MetadataEntry> Model::metadata() const {
  return read_metadata({bytes_}, static_cast<std::uint32_t>(ModelField::metadata_props));
}

std::vector<MetadataEntry> Model::metadata(const Graph& graph) const {
  return read_metadata(graph.bytes, graph.kind == Graph::Kind::function
                                        ? static_cast<std::uint32_t>(FunctionField::metadata_props)
                                        : static_cast<std::uint32_t>(GraphField::metadata_props));
}

// The label is in every row, so its length is limited.
std::string Model::graph_label(GraphId id) const {
  const Graph& graph = graphs_[id];
  if (graph.kind == Graph::Kind::main) return "";
  if (graph.kind == Graph::Kind::function)
    return base::format("function:{}:{}:{}", graph.domain.substr(0, max_label_name_bytes),
                        graph.name.substr(0, max_label_name_bytes),
                        graph.overload.substr(0, max_label_name_bytes));
  std::vector<std::string> chain;
  GraphId at = id;
  for (; graphs_[at].kind == Graph::Kind::body; at = graphs_[at].parent) {
    const Graph& body = graphs_[at];
    std::string part = base::format("{}.{}", body.owner - graphs_[body.parent].first_node,
                                    body.attribute.substr(0, max_label_name_bytes));
    if (body.in_list) part += base::format("[{}]", body.position);
    chain.push_back(std::move(part));
  }
  if (graphs_[at].kind == Graph::Kind::function) chain.push_back(graph_label(at));
  std::reverse(chain.begin(), chain.end());
  return base::format("{}", base::joined(chain, "/")).substr(0, max_label_bytes);
}

TensorView Model::tensor(const Initializer& initializer) const {
  if (!initializer.sparse) return read_tensor({initializer.bytes});
  Pieces values;
  std::vector<std::int64_t> dims;
  for (Fields field(initializer.bytes); field.next();) {
    if (field.tag() == bytes_tag(SparseTensorField::values)) values.push_back(field.bytes());
    wire::for_each_varint(field, static_cast<std::uint32_t>(SparseTensorField::dims),
                          [&](std::uint64_t dim) { dims.push_back(static_cast<std::int64_t>(dim)); });
  }
  TensorView view = read_tensor(values);
  view.dims = dims;
  return view;
}

std::vector<std::string_view> Model::value_infos(const Graph& graph) const {
  const auto number = graph.kind == Graph::Kind::function
                          ? static_cast<std::uint32_t>(FunctionField::value_info)
                          : static_cast<std::uint32_t>(GraphField::value_info);
  std::vector<std::string_view> infos;
  for (const std::string_view piece : graph.bytes)
    for (Fields field(piece); field.next();)
      if (field.tag() == bytes_tag(number)) infos.push_back(field.bytes());
  return infos;
}

Result<Model> Model::read(std::string_view bytes, const std::string& label, Diagnostics& diagnostics) {
  return Reader(bytes, label, diagnostics).read(Reader::Memory::own);
}

Result<Model> Model::read(base::MemoryImage image, const Model& source, Diagnostics& diagnostics) {
  const Reader::Memory memory =
      source.descriptor() < 0 ? Reader::Memory::own : Reader::Memory::mapped;  // parts of the file
  Result<Model> model = Reader(image.bytes(), source.file(), diagnostics).read(memory);
  if (!model) return model;
  model->image_ = std::move(image);
  model->is_in_folder_ = source.is_in_folder_;
  return model;
}

Result<Model> Model::open(const std::string& path, Diagnostics& diagnostics) {
  Result<base::MappedFile> file =
      path == "-" ? base::MappedFile::standard_input() : base::MappedFile::open(path);
  if (!file) return file.error();
  base::ReadAhead ahead(file->bytes());
  Result<Model> model = Reader(file->bytes(), path == "-" ? "standard input" : path, diagnostics)
                            .read(Reader::Memory::mapped, &ahead);
  if (!model && file->is_changed()) return base::changed_file(path);
  if (!model) return model;
  model->mapping_ = *file;
  model->is_in_folder_ = path != "-";
  return model;
}

Producer Model::producer(ValueId value) const {
  const std::uint32_t packed = values_[value].producer;
  return {static_cast<Producer::Kind>(packed >> 30), packed & 0x3fffffff};
}

}  // namespace thence::onnx
