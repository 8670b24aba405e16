#include "functions/expand.h"

#include <unordered_set>

#include "base/format.h"
#include "base/text.h"
#include "functions/call_graph.h"
#include "functions/folded_format.h"
#include "functions/imports.h"
#include "functions/node_expander.h"
#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::functions {
namespace {

using onnx::Graph;
using onnx::GraphField;
using onnx::GraphId;
using onnx::ModelField;
using onnx::NodeId;
using wire::bytes_tag;

std::string_view expanded_field(const wire::Fields& field) {
  return {field.start(), static_cast<std::size_t>(field.rest() - field.start())};
}

class ModelExpander {
 public:
  ModelExpander(const onnx::Model& model, const CallGraph& calls, const Imports& imports, NodeLabels labels)
      : model_(model),
        calls_(calls),
        imports_(imports),
        nodes_(model, calls, labels),
        splice_(model.bytes(), model.descriptor()) {
    find_kept_functions();
    find_used_domains();
  }

  Result<wire::Splice> run() {
    GraphId function = calls_.end_of(0);
    for (wire::Fields field(model_.bytes()); field.next();) {
      if (field.tag() == bytes_tag(ModelField::graph)) {
        write_graph(field.bytes());
      } else if (field.tag() == bytes_tag(ModelField::functions)) {
        if (is_kept_[function]) splice_.copy(expanded_field(field));
        function = calls_.end_of(function);
      } else if (!is_obsolete(field)) {
        splice_.copy(expanded_field(field));
      }
    }
    if (nodes_.is_past_limits())
      return Error{ErrorKind::bad_input, "W017",
                   base::format("{}: its functions stand for too many bytes, or too deeply nested bodies",
                                base::printable(model_.file())),
                   "no exporter writes such a model"};
    write_imports();
    return std::move(splice_);
  }

 private:
  // Functions that are not expanded, and those that they call.
  void find_kept_functions() {
    is_kept_.assign(model_.graphs().size(), false);
    std::vector<GraphId> pending;
    for (GraphId id = calls_.end_of(0); id < is_kept_.size(); id = calls_.end_of(id))
      if (!calls_.is_expanded(id)) pending.push_back(id);
    while (!pending.empty()) {
      const GraphId id = pending.back();
      pending.pop_back();
      if (is_kept_[id]) continue;
      is_kept_[id] = true;
      for_each_node(id, [&](NodeId node) {
        if (calls_.callee(node) != onnx::none) pending.push_back(calls_.callee(node));
      });
    }
  }

  void find_used_domains() {
    for (GraphId id = 0; id < is_kept_.size(); id = calls_.end_of(id))
      for_each_node(id, [&](NodeId node) {
        if (is_kept_[id] || calls_.callee(node) == onnx::none)
          used_domains_.insert(plain_domain(model_.node(node).domain()));
      });
    for (GraphId id = calls_.end_of(0); id < is_kept_.size(); id = calls_.end_of(id))
      if (!is_kept_[id]) expanded_domains_.insert(plain_domain(model_.graphs()[id].domain));
  }

  template <class Use>
  void for_each_node(GraphId graph, Use use) const {
    for (GraphId id = graph; id < calls_.end_of(graph); ++id) {
      const Graph& part = model_.graphs()[id];
      for (NodeId node = part.first_node; node < part.first_node + part.node_count; ++node) use(node);
    }
  }

  // The import of a domain that has no operator any more, and the record of a folded model.
  bool is_obsolete(const wire::Fields& field) const {
    if (field.tag() == bytes_tag(ModelField::opset_import)) {
      const std::string_view domain =
          plain_domain(onnx::last_text_field(field.bytes(), onnx::OpsetField::domain));
      return expanded_domains_.contains(domain) && !used_domains_.contains(domain);
    }
    return field.tag() == bytes_tag(ModelField::metadata_props) &&
           expanded_domains_.contains(folded_domain) &&
           onnx::read_metadata_entry(field.bytes()).key == record_key;
  }

  void write_graph(std::string_view bytes) {
    splice_.open(bytes_tag(ModelField::graph));
    for (wire::Fields field(bytes); field.next();) {
      if (field.tag() == bytes_tag(GraphField::node) && nodes_.changes(next_node_++))
        splice_.insert(nodes_.expand(next_node_ - 1));
      else
        splice_.copy(expanded_field(field));
    }
    splice_.close();
  }

  void write_imports() {
    for (const auto& [domain, version] : imports_.missing()) {
      if (!used_domains_.contains(domain)) continue;
      std::string opset, field;
      wire::append_field(opset, onnx::OpsetField::domain, domain);
      wire::append_varint(opset, wire::varint_tag(onnx::OpsetField::version));
      wire::append_varint(opset, static_cast<std::uint64_t>(version));
      wire::append_field(field, ModelField::opset_import, opset);
      splice_.insert(field);
    }
  }

  const onnx::Model& model_;
  const CallGraph& calls_;
  const Imports& imports_;
  NodeExpander nodes_;
  wire::Splice splice_;
  NodeId next_node_ = 0;
  std::vector<bool> is_kept_;  // by function
  std::unordered_set<std::string_view> used_domains_, expanded_domains_;
};

}  // namespace

Result<Expanded> expand_functions(const onnx::Model& model,
                                  const std::function<bool(const Graph&)>& is_chosen, NodeLabels labels) {
  const Imports imports(model, is_chosen);
  const Result<CallGraph> calls =
      CallGraph::make(model, [&](const Graph& graph) { return imports.is_expandable(graph); });
  if (!calls) return calls.error();
  Result<wire::Splice> splice = ModelExpander(model, *calls, imports, labels).run();
  if (!splice) return splice.error();
  return Expanded{*std::move(splice), imports.expandable_count(), imports.conflicts()};
}

}  // namespace thence::functions
