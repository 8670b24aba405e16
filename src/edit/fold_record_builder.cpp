#include "edit/fold_record_builder.h"

#include <algorithm>

#include "edit/shared_node.h"
#include "functions/folded_format.h"
#include "functions/restore_nodes.h"
#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::edit {
namespace {

using functions::Insertion;
using onnx::GraphField;
using onnx::ModelField;
using onnx::NodeId;
using onnx::ValueId;
using wire::bytes_tag;
using wire::varint_tag;

std::string_view bytes_of(const wire::Fields& field) {
  return {field.start(), static_cast<std::size_t>(field.rest() - field.start())};
}

}  // namespace

FoldRecordBuilder::FoldRecordBuilder(const Fold& fold, bool raised_version,
                                     const std::unordered_set<std::string_view>& hidden)
    : fold_(fold), model_(fold.map.model()) {
  record_.raised_version = raised_version;
  for (const onnx::Opset& opset : model_.opsets())
    record_.imports_domain |= opset.domain == functions::folded_domain;
  expanded_.resize(fold.graph.size());
  instances_.resize(fold.bodies.functions.size());
  expand(0);
  add_order();
  add_model_fields();
  for (const std::string_view piece : model_.graphs().front().bytes) add_graph_fields(piece, hidden);
  add_columns();
}

std::string FoldRecordBuilder::format(std::uint64_t structure) {
  record_.structure = structure;
  record_.columns = columns_;
  return functions::format_record(record_);
}

bool FoldRecordBuilder::restores_nodes(const onnx::Model& folded, const functions::CallGraph& calls) const {
  const std::optional<functions::FlatNodes> nodes = functions::restore_nodes(folded, calls, record_);
  if (!nodes || nodes->messages.size() != expanded_.size()) return false;
  for (NodeId id = 0; id < expanded_.size(); ++id)
    if (nodes->messages[expanded_[id]] != model_.node(id).bytes()) return false;
  return true;
}

// Recursion is limited by the depth of modules.
void FoldRecordBuilder::expand(GroupId group) {
  const Body& body = fold_.bodies.by_group[group];
  if (group != 0) instances_[body.function].push_back(group);
  for (const GroupStep& step : body.steps) {
    if (step.is_group)
      expand(step.index);
    else
      expanded_[step.index] = expanded_count_++;
  }
}

void FoldRecordBuilder::add_order() {
  for (const std::uint64_t number : expanded_) {
    if (!record_.order.empty() && record_.order.back().first + record_.order.back().count == number)
      ++record_.order.back().count;
    else
      record_.order.push_back({number, 1});
  }
}

void FoldRecordBuilder::add_model_fields() {
  std::uint64_t position = 0;
  for (wire::Fields field(model_.bytes()); field.next();) {
    if (field.tag() == bytes_tag(ModelField::graph)) is_exact_ &= is_shortest(bytes_of(field), field.bytes());
    if (record_.raised_version && field.tag() == varint_tag(ModelField::ir_version))
      record_.model_fields.push_back({position, bytes_of(field), 0});
    else
      ++position;
  }
}

void FoldRecordBuilder::add_graph_fields(std::string_view graph,
                                         const std::unordered_set<std::string_view>& hidden) {
  std::vector<Insertion>& fields = record_.graph_fields.emplace_back();
  std::uint64_t position = 0;
  const auto is_here = [&] { return !fields.empty() && fields.back().position == position; };
  for (wire::Fields field(graph); field.next();) {
    if (field.tag() == bytes_tag(GraphField::node)) {
      is_exact_ &= is_shortest(bytes_of(field), field.bytes());
      if (is_here() && fields.back().nodes > 0)
        ++fields.back().nodes;
      else
        fields.push_back({position, {}, 1});
    } else if (field.tag() == bytes_tag(GraphField::value_info) &&
               hidden.contains(onnx::last_text_field(field.bytes(), onnx::ValueInfoField::name))) {
      const std::string_view bytes = bytes_of(field);
      if (is_here() && fields.back().bytes.end() == bytes.begin())
        fields.back().bytes = {fields.back().bytes.data(), bytes.end()};
      else
        fields.push_back({position, bytes, 0});
    } else {
      ++position;
    }
  }
}

void FoldRecordBuilder::add_columns() {
  for (const Function& function : fold_.bodies.functions) {
    if (!function.shared()) continue;
    const Body& first = fold_.bodies.by_group[function.groups.front()];
    given_.clear();
    given_.insert(first.outputs.begin(), first.outputs.end());
    for (std::size_t step = 0; step < first.steps.size(); ++step) add_step(function, step);
  }
}

void FoldRecordBuilder::add_step(const Function& function, std::size_t step) {
  const Body& first = fold_.bodies.by_group[function.groups.front()];
  add_output_names(function, step);
  if (first.steps[step].is_group) return;
  const SharedNode shared = find_shared_node(fold_, function, step);
  for (const GroupId group : instances_[first.function]) {
    const std::string_view node = model_.node(fold_.bodies.by_group[group].steps[step].index).bytes();
    for (wire::Fields field(node); field.next();)
      if (field.tag() == bytes_tag(onnx::NodeField::input) ||
          field.tag() == bytes_tag(onnx::NodeField::output))
        is_exact_ &= is_shortest(bytes_of(field), field.bytes());
    const std::optional<std::vector<Insertion>> annotations = find_annotations(shared, node);
    append_insertions(columns_, annotations ? *annotations : std::vector<Insertion>());
    is_exact_ &= annotations.has_value();
  }
}

void FoldRecordBuilder::add_output_names(const Function& function, std::size_t step) {
  const auto outputs_of = [&](GroupId group) -> std::span<const ValueId> {
    const GroupStep& at = fold_.bodies.by_group[group].steps[step];
    return at.is_group ? std::span<const ValueId>(fold_.bodies.by_group[at.index].outputs)
                       : model_.node(at.index).outputs();
  };
  const Body& first = fold_.bodies.by_group[function.groups.front()];
  const std::span<const ValueId> outputs = outputs_of(function.groups.front());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == onnx::none || given_.contains(outputs[i])) continue;
    for (const GroupId group : instances_[first.function])
      base::append_text(columns_, model_.value_name(outputs_of(group)[i]));
  }
}

}  // namespace thence::edit
