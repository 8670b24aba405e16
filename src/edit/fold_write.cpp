// Writes the folded model: adds functions, moves nodes of the main graph into them, and copies everything
// else unchanged.

#include <unordered_set>

#include "base/format.h"
#include "edit/fold.h"
#include "edit/fold_names.h"
#include "edit/fold_record_builder.h"
#include "edit/shared_node.h"
#include "edit/tag.h"
#include "functions/call_graph.h"
#include "functions/folded_format.h"
#include "hierarchy/fingerprint.h"
#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::edit {
namespace {

using onnx::FunctionField;
using onnx::GraphField;
using onnx::ModelField;
using onnx::NodeField;
using onnx::NodeId;
using onnx::ValueId;
using wire::append_field;
using wire::append_varint;
using wire::bytes_tag;
using wire::varint_tag;

/// The first IR version with functions.
constexpr std::int64_t function_ir_version = 8;

std::string_view field_bytes(const wire::Fields& field) {
  return {field.start(), static_cast<std::size_t>(field.rest() - field.start())};
}

std::string number_field(ModelField field, std::int64_t value) {
  std::string text;
  append_varint(text, varint_tag(field));
  append_varint(text, static_cast<std::uint64_t>(value));
  return text;
}

// Both names denote the standard operators of ONNX.
std::string_view domain_of(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

class FoldWriter {
 public:
  explicit FoldWriter(const Fold& fold)
      : fold_(fold),
        model_(fold.map.model()),
        splice_(model_.bytes(), model_.descriptor()),
        calls_(call_names(fold)),
        number_(model_.value_count(), 0) {
    for (const onnx::Opset& opset : model_.opsets())
      if (opset.domain == functions::folded_domain) version_ = opset.version;
    find_least_confident();
  }

  Result<FoldedModel> run() {
    const bool raises = model_.ir_version() < function_ir_version;
    bool imported = false, written = false;
    for (wire::Fields field(model_.bytes()); field.next();) {
      if (raises && field.tag() == varint_tag(ModelField::ir_version)) continue;
      if (field.tag() == bytes_tag(ModelField::graph)) {
        write_graph(field.bytes(), !written);
        written = true;
      } else {
        splice_.copy(field_bytes(field));
      }
    }
    if (raises) splice_.insert(number_field(ModelField::ir_version, function_ir_version));
    for (const onnx::Opset& opset : model_.opsets()) imported |= opset.domain == functions::folded_domain;
    if (!imported)
      write_import(static_cast<std::uint32_t>(ModelField::opset_import), functions::folded_domain, version_);
    for (const Function& each : fold_.bodies.functions) write_function(each);
    const Result<bool> is_exact = write_record(raises);
    if (!is_exact) return is_exact.error();
    return FoldedModel{std::move(splice_), *is_exact};
  }

 private:
  // Finds the node with the lowest confidence in each group, which is the confidence of the group.
  void find_least_confident() {
    least_confident_.assign(fold_.partition.groups.size(), onnx::none);
    const auto take = [&](GroupId group, NodeId node) {
      NodeId& least_confident = least_confident_[group];
      if (least_confident == onnx::none ||
          fold_.map.answer(node).confidence < fold_.map.answer(least_confident).confidence)
        least_confident = node;
    };
    for (NodeId id = 0; id < fold_.graph.size(); ++id)
      if (fold_.map.answer(id).known()) take(fold_.partition.node_groups[id], id);
    for (auto group = static_cast<GroupId>(least_confident_.size()); group-- > 1;)
      if (least_confident_[group] != onnx::none)
        take(fold_.partition.groups[group].enclosing, least_confident_[group]);
  }

  // A file may store its graph in several pieces, which are merged.
  void write_graph(std::string_view bytes, bool first) {
    if (first) find_hidden_values();
    splice_.open(bytes_tag(ModelField::graph));
    if (first) {
      const std::uint32_t field = static_cast<std::uint32_t>(GraphField::node);
      for (const GroupStep& step : fold_.bodies.by_group[0].steps) {
        if (step.is_group)
          insert(field,
                 call_node(
                     step.index, calls_[step.index], [&](ValueId v) { return model_.value_name(v); }, true));
        else
          copy_node(field, step.index);
      }
    }
    for (wire::Fields field(bytes); field.next();) {
      if (field.tag() == bytes_tag(GraphField::node)) continue;
      if (field.tag() == bytes_tag(GraphField::value_info) && is_hidden(field.bytes())) continue;
      splice_.copy(field_bytes(field));
    }
    splice_.close();
  }

  // Finds the values that are now written only inside functions.
  void find_hidden_values() {
    std::vector<bool> seen(model_.value_count(), false);
    for (const ValueId value : fold_.bodies.by_group[0].values) seen[value] = true;
    for (NodeId id = 0; id < fold_.graph.size(); ++id)
      for (const ValueId value : model_.node(id).outputs())
        if (value != onnx::none && !seen[value]) hidden_.insert(model_.value_name(value));
  }
  bool is_hidden(std::string_view info) const {
    std::string_view name;
    for (wire::Fields field(info); field.next();)
      if (field.tag() == bytes_tag(onnx::ValueInfoField::name)) name = field.bytes();
    return hidden_.contains(name);
  }

  // The record is bound to the nodes and functions as they were written. Gives whether it restores all bytes.
  Result<bool> write_record(bool raises) {
    // It has folded functions that could not be expanded. The record would take them for those of this fold.
    if (functions::is_folded(model_)) return false;
    const Result<base::MemoryImage> image = splice_.assemble();
    if (!image) return image.error();
    Diagnostics ignored;
    const Result<onnx::Model> folded = onnx::Model::read(*image, model_, ignored);
    if (!folded) return folded.error();
    const Result<functions::CallGraph> calls = functions::CallGraph::make(
        *folded, [](const onnx::Graph& function) { return function.domain == functions::folded_domain; });
    if (!calls) return calls.error();
    FoldRecordBuilder record(fold_, raises, hidden_);
    std::string entry;
    append_field(entry, onnx::EntryField::key, functions::record_key);
    append_field(entry, onnx::EntryField::value, record.format(functions::structure_hash(*folded)));
    insert(static_cast<std::uint32_t>(ModelField::metadata_props), entry);
    return record.is_exact() && record.restores_nodes(*folded, *calls);
  }

  void write_function(const Function& function) {
    const Body& body = fold_.bodies.by_group[function.groups.front()];
    const BodyNames names = body_names(fold_, function, calls_);
    for (std::uint32_t i = 0; i < body.values.size(); ++i) number_[body.values[i]] = i;
    const auto name_of = [&](ValueId value) -> std::string_view { return names.values[number_[value]]; };
    splice_.open(bytes_tag(ModelField::functions));
    std::string head;
    append_field(head, FunctionField::name, function.name);
    for (const ValueId value : body.inputs) append_field(head, FunctionField::input, name_of(value));
    for (const ValueId value : body.outputs) append_field(head, FunctionField::output, name_of(value));
    splice_.insert(head);
    const std::uint32_t field = static_cast<std::uint32_t>(FunctionField::node);
    for (std::size_t i = 0; i < body.steps.size(); ++i) {
      const GroupStep& step = body.steps[i];
      if (step.is_group)
        insert(field, call_node(step.index, names.steps[i], name_of, !function.shared()));
      else if (function.shared())
        write_shared_node(function, i, names.steps[i], name_of);
      else
        copy_node(field, step.index);
    }
    const std::string_view class_name = fold_.map.tree()[fold_.module_of(function.groups.front())].class_name;
    if (!class_name.empty()) insert(static_cast<std::uint32_t>(FunctionField::doc_string), class_name);
    write_imports(body);
    insert(static_cast<std::uint32_t>(FunctionField::domain), functions::folded_domain);
    splice_.close();
  }

  // Imports the operator sets of the nodes, with the versions of the model.
  void write_imports(const Body& body) {
    const std::uint32_t field = static_cast<std::uint32_t>(FunctionField::opset_import);
    std::unordered_set<std::string_view> used;
    bool all = false, calls = false;
    for (const GroupStep& step : body.steps) {
      calls |= step.is_group;
      if (step.is_group) continue;
      used.insert(domain_of(model_.node(step.index).domain()));
      all |= fold_.graph.has_bodies(step.index);
    }
    if (used.erase(functions::folded_domain) > 0) calls = true;
    for (const onnx::Opset& opset : model_.opsets())
      if ((all || used.erase(domain_of(opset.domain)) > 0) && opset.domain != functions::folded_domain)
        write_import(field, opset.domain, opset.version);
    if (calls) write_import(field, functions::folded_domain, version_);
  }

  void write_import(std::uint32_t field, std::string_view domain, std::int64_t version) {
    std::string text;
    append_field(text, onnx::OpsetField::domain, domain);
    append_varint(text, varint_tag(onnx::OpsetField::version));
    append_varint(text, static_cast<std::uint64_t>(version));
    insert(field, text);
  }

  void copy_node(std::uint32_t field, NodeId id) {
    splice_.open(bytes_tag(field));
    splice_.copy(model_.node(id).bytes());
    splice_.close();
  }

  // The node that calls the function of a group. In a body that several modules share, it has no module.
  template <class Name>
  std::string call_node(GroupId group, std::string_view name, Name name_of, bool of_one_module) const {
    const Body& inner = fold_.bodies.by_group[group];
    std::string node;
    for (const ValueId value : inner.inputs) append_field(node, NodeField::input, name_of(value));
    for (const ValueId value : inner.outputs) append_field(node, NodeField::output, name_of(value));
    append_field(node, NodeField::name, name);
    append_field(node, NodeField::op_type, fold_.bodies.functions[inner.function].name);
    append_field(node, NodeField::domain, functions::folded_domain);
    if (!of_one_module || model_.ir_version() < metadata_ir_version || least_confident_[group] == onnx::none)
      return node;
    Entries entries(static_cast<std::uint32_t>(NodeField::metadata_props));
    const resolve::Attribution& answer = fold_.map.answer(least_confident_[group]);
    add_module(fold_.map, fold_.module_of(group), fold_.map.facts(fold_.module_of(group)), entries);
    entries.add("confidence", base::format("{:.4g}", answer.confidence));
    entries.add("source", evidence::name_of(answer.source));
    entries.add("fingerprint", hierarchy::Fingerprint(node).text());
    return node + entries.text();
  }

  template <class Name>
  void write_shared_node(const Function& function, std::size_t step, std::string_view name, Name name_of) {
    const SharedNode shared = find_shared_node(fold_, function, step);
    const onnx::Node node = model_.node(shared.first);
    std::size_t inputs = 0, outputs = 0;
    splice_.open(bytes_tag(FunctionField::node));
    for (const std::string_view text : shared.fields) {
      wire::Fields field(text);
      field.next();
      const auto value = [&](ValueId id) {
        insert(field.field(), id == onnx::none ? std::string_view() : name_of(id));
      };
      if (field.tag() == bytes_tag(NodeField::input))
        value(node.inputs()[inputs++]);
      else if (field.tag() == bytes_tag(NodeField::output))
        value(node.outputs()[outputs++]);
      else
        splice_.copy(text);
    }
    if (!name.empty()) insert(static_cast<std::uint32_t>(NodeField::name), name);
    splice_.close();
  }

  void insert(std::uint32_t field, std::string_view payload) {
    std::string text;
    append_field(text, field, payload);
    splice_.insert(text);
  }

  const Fold& fold_;
  const onnx::Model& model_;
  wire::Splice splice_;
  const std::vector<std::string> calls_;
  std::vector<std::uint32_t> number_;    // by value, in the current function
  std::vector<NodeId> least_confident_;  // by group
  std::unordered_set<std::string_view> hidden_;
  std::int64_t version_ = 1;
};

}  // namespace

Result<FoldedModel> fold_model(const Fold& fold) { return FoldWriter(fold).run(); }

}  // namespace thence::edit
