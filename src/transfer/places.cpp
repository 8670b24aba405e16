#include "transfer/places.h"

#include <algorithm>

#include "dataflow/operator_traits.h"
#include "dataflow/primitive_ops.h"

namespace thence::transfer {
namespace {

using dataflow::has_trait;
using dataflow::Trait;

constexpr std::size_t most_operands = 64;

template <class Id>
void add(std::vector<Id>& all, Id one) {
  if (all.size() < most_operands && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

}  // namespace

ValueReaders value_readers(const onnx::Model& model) {
  return {model.value_count(), [&](const auto& use) {
            for (onnx::NodeId id = 0; id < model.node_count(); ++id)
              for (const onnx::ValueId value : model.node(id).inputs())
                if (value != none) use(value, id);
          }};
}

Places::Places(const Net& ancestor, const Net& descendant, Known known)
    : a_(ancestor), d_(descendant), known_(known) {}

bool Places::passes_on(onnx::NodeId id) const {
  const onnx::Node node = d_.model().node(id);
  return has_trait(node, Trait::keeps_elements) && node.outputs().size() == 1 && !node.inputs().empty();
}

Origin Places::of(onnx::NodeId id) {
  Origin origin = by_place(id);
  return origin.kind == Kind::unknown ? by_name(id) : origin;
}

Origin Places::by_place(onnx::NodeId id) {
  const onnx::Node node = d_.model().node(id);
  Values values;
  if (node.outputs().size() != 1 || node.outputs()[0] == none || !read_there(node.outputs()[0], values))
    return {};
  std::vector<onnx::NodeId> same, carried;
  bool all_same = true;
  for (const onnx::ValueId value : values) {
    const onnx::NodeId made = maker(value, dataflow::last_primitive(node));
    if (made != none) add(same, made);
    all_same &= made != none;
    const onnx::Producer producer = a_.model().producer(value);
    if (producer.kind == onnx::Producer::Kind::node) add(carried, producer.index);
  }
  if (all_same) return {same.size() == 1 ? Kind::computes : Kind::serves, Proof::outputs, std::move(same)};
  if (!same.empty()) return {};
  const bool passed_on = passes_on(id);
  if (passed_on) carried_.emplace(id, std::move(values));
  if (carried.empty() || !(passed_on ? is_computed(node.inputs()[0]) : is_folded(node, carried))) return {};
  return {carried.size() == 1 ? Kind::carries : Kind::serves, Proof::outputs, std::move(carried)};
}

// Whether a Constant holds what these of the ancestor compute of constants.
bool Places::is_folded(const onnx::Node& node, const std::vector<onnx::NodeId>& theirs) const {
  return node.op_type() == "Constant" &&
         std::all_of(theirs.begin(), theirs.end(), [&](onnx::NodeId id) { return a_.is_constant(id); });
}

// Whether a node makes a value, and does not only pass on an initializer.
bool Places::is_computed(onnx::ValueId value) const {
  constexpr int most_passed = 8;
  for (int passed = 0; passed < most_passed && value != none; ++passed) {
    const onnx::Producer producer = d_.model().producer(value);
    if (producer.kind != onnx::Producer::Kind::node) return false;
    if (!passes_on(producer.index)) return true;
    value = d_.model().node(producer.index).inputs()[0];
  }
  return value != none;
}

// The node that makes a value of the ancestor, by this operator, of constants and sizes. What only passes it
// on may be gone.
onnx::NodeId Places::maker(onnx::ValueId theirs, std::string_view op) const {
  constexpr int most_passed = 4;
  for (int passed = 0; passed < most_passed && theirs != none; ++passed) {
    const onnx::Producer producer = a_.model().producer(theirs);
    if (producer.kind != onnx::Producer::Kind::node || !a_.serves(producer.index)) break;
    const onnx::Node node = a_.model().node(producer.index);
    if (dataflow::last_primitive(node) == op) return producer.index;
    if (!has_trait(node, Trait::keeps_elements) || node.inputs().empty()) break;
    theirs = node.inputs()[0];
  }
  return none;
}

bool Places::read_there(onnx::ValueId value, Values& found) const {
  for (const onnx::NodeId reader : known_.readers.of(value)) {
    if (const auto passed = carried_.find(reader); passed != carried_.end()) {
      if (d_.model().node(reader).inputs()[0] != value) return false;
      for (const onnx::ValueId each : passed->second) add(found, each);
    } else if (!read_by_partner(reader, value, found)) {
      return false;
    }
  }
  return !found.empty();
}

bool Places::read_by_partner(onnx::NodeId reader, onnx::ValueId value, Values& found) const {
  const Origin& origin = known_.origins[reader];
  if (origin.kind != Kind::computes && origin.kind != Kind::view) return false;
  const onnx::Node ours = d_.model().node(reader), theirs = a_.model().node(origin.nodes.front());
  if (ours.inputs().size() > most_operands || theirs.inputs().size() > most_operands) return false;
  const std::vector<dataflow::PrimitiveOp> mine = dataflow::primitives_of(ours),
                                           others = dataflow::primitives_of(theirs);
  if (mine.size() != others.size()) return false;
  for (std::size_t part = 0; part < mine.size(); ++part) {
    const dataflow::PrimitiveOp &of_ours = mine[part], &of_theirs = others[part];
    if (of_ours.op != of_theirs.op || of_ours.input_count() != of_theirs.input_count()) return false;
    for (std::size_t i = 0; i < of_ours.input_count(); ++i) {
      const int place = of_ours.input(i), their_place = of_theirs.input(i);
      if (place == dataflow::PrimitiveOp::previous || ours.inputs()[static_cast<std::size_t>(place)] != value)
        continue;
      if (their_place == dataflow::PrimitiveOp::previous) return false;
      const onnx::ValueId read = theirs.inputs()[static_cast<std::size_t>(their_place)];
      if (read == none) return false;
      add(found, read);
    }
  }
  return true;
}

// A name alone is a coincidence: something that the node reads, or that reads it, must be the same.
Origin Places::by_name(onnx::NodeId id) const {
  const onnx::Node ours = d_.model().node(id);
  if (ours.outputs().empty() || ours.outputs()[0] == none) return {};
  const onnx::NodeId named = known_.names.writer(ours.outputs()[0]);
  if (named == none || !a_.serves(named)) return {};
  const onnx::Node theirs = a_.model().node(named);
  if (dataflow::last_primitive(ours) != dataflow::last_primitive(theirs)) return {};
  if (!reads_alike(ours, theirs) && !is_read_alike(ours.outputs()[0], theirs.outputs()[0])) return {};
  return {Kind::computes, Proof::name, {named}};
}

bool Places::reads_alike(const onnx::Node& ours, const onnx::Node& theirs) const {
  const auto mine = ours.inputs(), others = theirs.inputs();
  for (std::size_t i = 0; i < mine.size() && i < others.size() && i < Net::most_inputs; ++i)
    if (mine[i] != none && others[i] != none && called_alike(d_, mine[i], a_, others[i])) return true;
  return false;
}

bool Places::is_read_alike(onnx::ValueId ours, onnx::ValueId theirs) const {
  const auto readers = known_.readers.of(ours);
  return std::any_of(readers.begin(), readers.end(), [&](onnx::NodeId reader) {
    const Origin& origin = known_.origins[reader];
    if (origin.kind == Kind::unknown || origin.kind == Kind::ambiguous) return false;
    const auto inputs = a_.model().node(origin.nodes.front()).inputs();
    return inputs.size() <= Net::most_inputs &&
           std::find(inputs.begin(), inputs.end(), theirs) != inputs.end();
  });
}

}  // namespace thence::transfer
