// Model: an immutable view of an ONNX file. Graphs, nodes and values are numbered, and every input is linked
// to its producer. Everything else is decoded from the mapped bytes on demand. Reading a model does not read
// weight data and does not open external data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/mapped_file.h"
#include "base/memory_image.h"
#include "base/result.h"
#include "onnx/names.h"
#include "onnx/views.h"

namespace thence::onnx {

using NodeId = std::uint32_t;   // in row order: main graph, bodies depth-first, functions
using ValueId = std::uint32_t;  // a name within one graph; `none` for an omitted input
using GraphId = std::uint32_t;

struct Opset {
  std::string_view domain;
  std::int64_t version = 0;
};

/// The main graph (number 0), a body in an attribute of a node, or the body of a function.
struct Graph {
  enum class Kind { main, body, function };
  Kind kind = Kind::main;
  Pieces bytes;
  std::string_view name;
  std::string_view domain;     // for functions
  std::string_view overload;   // for functions
  GraphId parent = none;       // the graph that encloses a body
  NodeId owner = none;         // the node that has the body
  std::string_view attribute;  // the attribute of `owner` that contains it
  std::uint32_t position = 0;  // its position in an attribute with several graphs
  bool in_list = false;        // whether the attribute is a list of graphs
  NodeId first_node = 0;
  NodeId node_count = 0;
  std::uint32_t first_initializer = 0;
  std::uint32_t initializer_count = 0;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<std::string_view> input_infos;  // value info messages; empty for functions
  std::vector<std::string_view> output_infos;
};

struct Initializer {
  ValueId value = none;
  GraphId graph = 0;
  std::string_view bytes;
  bool sparse = false;
};

/// The origin of a value.
struct Producer {
  enum class Kind : std::uint8_t { node, initializer, graph_input, undefined };
  Kind kind = Kind::undefined;
  std::uint32_t index = none;  // of the node or initializer
};

class Model;

/// A node: its number and its model. Cheap to copy.
class Node {
 public:
  Node(const Model& model, NodeId id) : model_(&model), id_(id) {}
  NodeId id() const { return id_; }
  GraphId graph() const;
  std::uint32_t index() const;  // within its graph
  std::string_view name() const;
  std::string_view op_type() const;
  std::string_view domain() const;
  std::string_view overload() const;
  std::string_view doc_string() const;
  std::span<const ValueId> inputs() const;
  std::span<const ValueId> outputs() const;
  std::vector<AttributeView> attributes() const;
  template <class Use>
  void for_each_attribute(Use use) const {  // one at a time, because a malicious node may have millions
    for (wire::Fields field(bytes()); field.next();)
      if (field.tag() == wire::bytes_tag(5)) use(read_attribute(field.bytes()));  // NodeField::attribute
  }
  std::optional<AttributeView> attribute(std::string_view name) const;
  std::vector<MetadataEntry> metadata() const;
  template <class Use>
  void for_each_metadata(Use use) const {
    onnx::for_each_metadata(bytes(), 9, use);  // NodeField::metadata_props
  }
  std::string_view bytes() const;

 private:
  const Model* model_;
  NodeId id_;
};

class Model {
 public:
  static Result<Model> open(const std::string& path, Diagnostics& diagnostics);  // "-": standard input
  /// Reads bytes that must outlive the model. Messages use `label` as the file name.
  static Result<Model> read(std::string_view bytes, const std::string& label, Diagnostics& diagnostics);
  /// Reads a model that was made from another, and keeps its bytes.
  static Result<Model> read(base::MemoryImage image, const Model& source, Diagnostics& diagnostics);

  const std::string& file() const { return label_; }
  std::uint64_t size() const { return bytes_.size(); }
  std::string_view bytes() const { return bytes_; }
  int descriptor() const { return mapping_.descriptor(); }  // of the file; -1 for bytes in memory
  /// Whether the model was made from the file, which has another form.
  bool is_derived() const { return !image_.bytes().empty(); }
  /// Whether file() is the path of a file, beside which external data is found.
  bool is_in_folder() const { return is_in_folder_; }
  std::int64_t ir_version() const { return ir_version_; }
  std::int64_t model_version() const { return model_version_; }
  std::string_view producer_name() const { return producer_name_; }
  std::string_view producer_version() const { return producer_version_; }
  std::string_view domain() const { return domain_; }
  std::string_view doc_string() const { return doc_string_; }
  const std::vector<Opset>& opsets() const { return opsets_; }
  std::vector<MetadataEntry> metadata() const;
  std::vector<MetadataEntry> metadata(const Graph& graph) const;

  const std::vector<Graph>& graphs() const { return graphs_; }
  /// "" for the main graph, "12.then_branch" for a body, "function:domain:name:overload" for a function.
  std::string graph_label(GraphId graph) const;
  std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size() - 1); }
  Node node(NodeId id) const { return {*this, id}; }
  const std::vector<Initializer>& initializers() const { return initializers_; }
  TensorView tensor(const Initializer& initializer) const;
  std::vector<std::string_view> value_infos(const Graph& graph) const;

  std::uint32_t value_count() const { return static_cast<std::uint32_t>(values_.size()); }
  std::string_view value_name(ValueId value) const { return names_.text(values_[value].name); }
  Producer producer(ValueId value) const;
  bool has_bodies() const { return graphs_.size() > 1; }
  /// False only if no node has metadata.
  bool may_have_node_metadata() const { return any_node_metadata_; }

  /// Bytes of memory for one node and for one value.
  static constexpr std::size_t bytes_per_node = 40, bytes_per_value = 8;

 private:
  friend class Node;
  friend class Reader;
  friend class Binder;

  struct NodeRecord {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Slice name;
    std::uint32_t first_input = 0;
    std::uint32_t first_output = 0;
    std::uint32_t op_type = none;  // a name number; none if empty
    std::uint32_t domain = none;
  };
  struct ValueRecord {
    std::uint32_t name = none;
    std::uint32_t producer = 0;  // kind in the upper two bits
  };
  static_assert(sizeof(NodeRecord) == bytes_per_node && sizeof(ValueRecord) == bytes_per_value);
  std::string_view text(std::uint32_t name) const {
    return name == none ? std::string_view() : names_.text(name);
  }

  base::MappedFile mapping_;
  base::MemoryImage image_;
  std::string label_;
  std::string_view bytes_;
  std::int64_t ir_version_ = 0;
  std::int64_t model_version_ = 0;
  std::string_view producer_name_, producer_version_, domain_, doc_string_;
  std::vector<Opset> opsets_;
  std::vector<Graph> graphs_;
  std::vector<NodeRecord> nodes_;  // with one extra entry at the end, so that every range has an end
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> outputs_;
  std::vector<ValueRecord> values_;
  std::vector<Initializer> initializers_;
  NameTable names_;
  bool any_node_metadata_ = false;
  bool is_in_folder_ = false;
};

}  // namespace thence::onnx
