#include "transfer/operand_matcher.h"

#include <algorithm>

#include "dataflow/primitive_ops.h"

namespace thence::transfer {
namespace {

using dataflow::PrimitiveOp;
using dataflow::Trait;

template <class Id>
void add_operand(std::vector<Id>& all, Id one) {
  if (all.size() < max_operands && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

}  // namespace

ValueUses value_uses(const onnx::Model& model) {
  return {model.value_count(), [&](const auto& add) {
            for (onnx::NodeId id = 0; id < model.node_count(); ++id)
              for (const onnx::ValueId value : model.node(id).inputs())
                if (value != none) add(value, id);
          }};
}

OperandMatcher::OperandMatcher(const ValueGraph& ancestor, const ValueGraph& descendant,
                               DescendantFacts facts)
    : a_(ancestor), d_(descendant), facts_(facts) {}

bool OperandMatcher::forwards_elements(onnx::NodeId ours) const {
  if (!d_.has_trait(ours, Trait::keeps_elements)) return false;
  const onnx::Node node = d_.model().node(ours);
  return node.outputs().size() == 1 && !node.inputs().empty();
}

Origin OperandMatcher::find(onnx::NodeId ours) {
  Origin origin = find_by_operands(ours);
  return origin.kind == OriginKind::unknown ? find_by_name(ours) : origin;
}

Origin OperandMatcher::find_by_operands(onnx::NodeId ours) {
  const onnx::Node node = d_.model().node(ours);
  Values values;
  if (node.outputs().size() != 1 || node.outputs()[0] == none || !collect_operands(node.outputs()[0], values))
    return {};
  const std::string_view op = dataflow::last_primitive(node);
  std::vector<onnx::NodeId> same, producers;
  bool all_same = true;
  for (const onnx::ValueId value : values) {
    const onnx::NodeId theirs = auxiliary_producer(value, op);
    if (theirs != none) add_operand(same, theirs);
    all_same &= theirs != none;
    const onnx::Producer producer = a_.model().producer(value);
    if (producer.kind == onnx::Producer::Kind::node) add_operand(producers, producer.index);
  }
  if (all_same)
    return {same.size() == 1 ? OriginKind::computes : OriginKind::feeds, Proof::consumers, std::move(same)};
  if (!same.empty()) return {};
  const bool forwards = forwards_elements(ours);
  if (forwards) forwarded_.emplace(ours, std::move(values));
  if (producers.empty() || !(forwards ? is_computed(node.inputs()[0]) : is_folded(ours, producers)))
    return {};
  const OriginKind kind = producers.size() == 1 ? OriginKind::inserted : OriginKind::feeds;
  return {kind, Proof::consumers, std::move(producers)};
}

// Whether a Constant holds what nodes of the ancestor compute of constants.
bool OperandMatcher::is_folded(onnx::NodeId ours, const std::vector<onnx::NodeId>& theirs) const {
  return d_.op(ours).name == "Constant" && std::all_of(theirs.begin(), theirs.end(), [&](onnx::NodeId id) {
           return a_.has_constant_inputs(id);
         });
}

// Whether a value is computed, and not an initializer that nodes forward.
bool OperandMatcher::is_computed(onnx::ValueId ours) const {
  for (int i = 0; i < max_descendant_casts && ours != none; ++i) {
    const onnx::Producer producer = d_.model().producer(ours);
    if (producer.kind != onnx::Producer::Kind::node) return false;
    if (!forwards_elements(producer.index)) return true;
    ours = d_.model().node(producer.index).inputs()[0];
  }
  return ours != none;
}

// The node that computes a value of the ancestor by this operator, of constants and shapes. Nodes that only
// forward it may have been removed.
onnx::NodeId OperandMatcher::auxiliary_producer(onnx::ValueId theirs, std::string_view op) const {
  for (int i = 0; i < max_ancestor_casts && theirs != none; ++i) {
    const onnx::Producer producer = a_.model().producer(theirs);
    if (producer.kind != onnx::Producer::Kind::node || !a_.is_auxiliary(producer.index)) break;
    const onnx::Node node = a_.model().node(producer.index);
    const bool is_primitive = a_.op(producer.index).is_primitive;
    if ((is_primitive ? a_.op(producer.index).name : dataflow::last_primitive(node)) == op)
      return producer.index;
    if (!a_.has_trait(producer.index, Trait::keeps_elements) || node.inputs().empty()) break;
    theirs = node.inputs()[0];
  }
  return none;
}

// What the partners of all uses of a value read in its place; false if one reads something else.
bool OperandMatcher::collect_operands(onnx::ValueId ours, Values& found) const {
  for (const onnx::NodeId use : facts_.uses.of(ours)) {
    if (const auto forwarded = forwarded_.find(use); forwarded != forwarded_.end()) {
      if (d_.model().node(use).inputs()[0] != ours) return false;
      for (const onnx::ValueId each : forwarded->second) add_operand(found, each);
    } else if (!collect_operands_of(use, ours, found)) {
      return false;
    }
  }
  return !found.empty();
}

bool OperandMatcher::collect_operands_of(onnx::NodeId use, onnx::ValueId ours, Values& found) const {
  const Origin& origin = facts_.origins[use];
  if (origin.kind != OriginKind::computes && origin.kind != OriginKind::view) return false;
  const auto mine = d_.model().node(use).inputs(), others = a_.model().node(origin.nodes.front()).inputs();
  if (mine.size() > max_operands || others.size() > max_operands) return false;
  const std::vector<PrimitiveOp> parts = dataflow::primitives_of(d_.model().node(use)),
                                 their_parts = dataflow::primitives_of(a_.model().node(origin.nodes.front()));
  if (parts.size() != their_parts.size()) return false;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const PrimitiveOp &one = parts[part], &other = their_parts[part];
    if (one.op != other.op || one.input_count() != other.input_count()) return false;
    for (std::size_t i = 0; i < one.input_count(); ++i) {
      const int index = one.input(i), their_index = other.input(i);
      if (index == PrimitiveOp::previous || mine[static_cast<std::size_t>(index)] != ours) continue;
      if (their_index == PrimitiveOp::previous) return false;
      const onnx::ValueId read = others[static_cast<std::size_t>(their_index)];
      if (read == none) return false;
      add_operand(found, read);
    }
  }
  return true;
}

// A name alone is a coincidence: an input or a use must agree, too.
Origin OperandMatcher::find_by_name(onnx::NodeId id) const {
  const onnx::Node ours = d_.model().node(id);
  if (ours.outputs().empty() || ours.outputs()[0] == none) return {};
  const onnx::NodeId same_named = facts_.names.producer_of_same_name(ours.outputs()[0]);
  if (same_named == none || !a_.is_auxiliary(same_named)) return {};
  const onnx::Node theirs = a_.model().node(same_named);
  if (dataflow::last_primitive(ours) != dataflow::last_primitive(theirs)) return {};
  if (!share_input_name(ours, theirs) && !share_use(ours.outputs()[0], theirs.outputs()[0])) return {};
  return {OriginKind::computes, Proof::name, {same_named}};
}

bool OperandMatcher::share_input_name(const onnx::Node& ours, const onnx::Node& theirs) const {
  const auto mine = ours.inputs(), others = theirs.inputs();
  for (std::size_t i = 0; i < std::min({mine.size(), others.size(), dataflow::max_inputs}); ++i)
    if (mine[i] != none && others[i] != none && dataflow::have_same_name(d_, mine[i], a_, others[i]))
      return true;
  return false;
}

bool OperandMatcher::share_use(onnx::ValueId ours, onnx::ValueId theirs) const {
  const auto uses = facts_.uses.of(ours);
  return std::any_of(uses.begin(), uses.end(), [&](onnx::NodeId use) {
    const Origin& origin = facts_.origins[use];
    if (!origin.is_certain()) return false;
    const auto inputs = a_.model().node(origin.nodes.front()).inputs();
    return inputs.size() <= dataflow::max_inputs &&
           std::find(inputs.begin(), inputs.end(), theirs) != inputs.end();
  });
}

}  // namespace thence::transfer
