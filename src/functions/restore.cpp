#include "functions/restore.h"

#include "functions/folded_format.h"
#include "functions/restore_nodes.h"
#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::functions {
namespace {

using onnx::GraphField;
using onnx::ModelField;
using wire::bytes_tag;
using wire::varint_tag;

std::string_view whole_field(const wire::Fields& field) {
  return {field.start(), static_cast<std::size_t>(field.rest() - field.start())};
}

bool has_only(std::string_view fields, std::uint32_t tag) {
  wire::Fields field(fields);
  while (field.next())
    if (field.tag() != tag) return false;
  return field.fault() == wire::Fault::none;
}

/// Writes the flat model: the folded one without what folding added, and with what it removed.
class ModelRestorer {
 public:
  ModelRestorer(const onnx::Model& model, const FoldRecord& record,
                const std::vector<std::string_view>& nodes)
      : model_(model), record_(record), nodes_(nodes), splice_(model.bytes(), model.descriptor()) {}

  bool run() {
    if (!has_valid_fields() || !read_order()) return false;
    std::size_t piece = 0;
    merge_fields(
        model_.bytes(), record_.model_fields, [&](const wire::Fields& field) { return is_added(field); },
        [&](const wire::Fields& field) {
          if (field.tag() == bytes_tag(ModelField::graph))
            write_graph(field.bytes(), piece++);
          else
            splice_.copy(whole_field(field));
        });
    return next_node_ == order_.size() && piece == record_.graph_fields.size();
  }
  wire::Splice take_splice() { return std::move(splice_); }

 private:
  bool has_valid_fields() const {
    for (const Insertion& insertion : record_.model_fields)
      if (insertion.nodes != 0 || !has_only(insertion.bytes, varint_tag(ModelField::ir_version)))
        return false;
    for (const std::vector<Insertion>& fields : record_.graph_fields)
      for (const Insertion& insertion : fields)
        if (!has_only(insertion.bytes, bytes_tag(GraphField::value_info))) return false;
    return true;
  }

  // The order must have each node once.
  bool read_order() {
    std::vector<bool> seen(nodes_.size(), false);
    for (const NodeRun& run : record_.order) {
      if (run.first > nodes_.size() || run.count > nodes_.size() - run.first) return false;
      for (std::uint64_t i = run.first; i < run.first + run.count; ++i) {
        if (seen[i]) return false;
        seen[i] = true;
        order_.push_back(static_cast<std::uint32_t>(i));
      }
    }
    return order_.size() == nodes_.size();
  }

  bool is_added(const wire::Fields& field) const {
    if (field.tag() == varint_tag(ModelField::ir_version)) return record_.raised_version;
    if (field.tag() == bytes_tag(ModelField::functions))
      return onnx::last_text_field(field.bytes(), onnx::FunctionField::domain) == folded_domain;
    if (field.tag() == bytes_tag(ModelField::opset_import))
      return !record_.imports_domain &&
             onnx::last_text_field(field.bytes(), onnx::OpsetField::domain) == folded_domain;
    return field.tag() == bytes_tag(ModelField::metadata_props) &&
           onnx::read_metadata_entry(field.bytes()).key == record_key;
  }

  void write_graph(std::string_view bytes, std::size_t piece) {
    static const std::vector<Insertion> nothing;
    splice_.open(bytes_tag(ModelField::graph));
    merge_fields(
        bytes, piece < record_.graph_fields.size() ? record_.graph_fields[piece] : nothing,
        [](const wire::Fields& field) { return field.tag() == bytes_tag(GraphField::node); },
        [&](const wire::Fields& field) { splice_.copy(whole_field(field)); });
    splice_.close();
  }

  // Writes the fields of a message, without those to skip, and the insertions at their positions.
  template <class Skip, class Write>
  void merge_fields(std::string_view message, const std::vector<Insertion>& insertions, Skip is_skipped,
                    Write write) {
    std::size_t next = 0;
    std::uint64_t position = 0;
    for (wire::Fields field(message); field.next();) {
      if (is_skipped(field)) continue;
      for (; next < insertions.size() && insertions[next].position <= position; ++next)
        insert(insertions[next]);
      write(field);
      ++position;
    }
    for (; next < insertions.size(); ++next) insert(insertions[next]);
  }

  void insert(const Insertion& insertion) {
    splice_.insert(insertion.bytes);
    for (std::uint64_t i = 0; i < insertion.nodes && next_node_ < order_.size(); ++i) {
      splice_.open(bytes_tag(GraphField::node));
      splice_.insert_borrowed(nodes_[order_[next_node_++]]);
      splice_.close();
    }
  }

  const onnx::Model& model_;
  const FoldRecord& record_;
  const std::vector<std::string_view>& nodes_;
  wire::Splice splice_;
  std::vector<std::uint32_t> order_;
  std::size_t next_node_ = 0;
};

}  // namespace

std::optional<wire::Splice> restore_model(const onnx::Model& model, const CallGraph& calls,
                                          const FoldRecord& record) {
  if (structure_hash(model) != record.structure) return std::nullopt;
  std::optional<FlatNodes> nodes = restore_nodes(model, calls, record);
  if (!nodes) return std::nullopt;
  ModelRestorer restorer(model, record, nodes->messages);
  if (!restorer.run()) return std::nullopt;
  wire::Splice splice = restorer.take_splice();
  splice.keep_alive(std::make_shared<base::TextStore>(std::move(nodes->texts)));
  return splice;
}

}  // namespace thence::functions
