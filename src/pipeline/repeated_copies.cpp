#include "pipeline/repeated_copies.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "dataflow/uses.h"

namespace thence::pipeline {
namespace {

using evidence::AncestorAnswer;
using evidence::AncestorAnswers;
using modules::ModuleId;
using modules::no_module;
using onnx::NodeId;
using transfer::Origin;
using transfer::OriginKind;

// What was attributed to one module, and is now attributed to another one.
struct Move {
  ModuleId from = no_module, to = no_module;
};

class RepeatedCopies {
 public:
  RepeatedCopies(const onnx::Model& derived, const std::vector<Origin>& origins, AncestorAnswers& answers)
      : derived_(derived), origins_(origins), answers_(answers), uses_(derived), moves_(origins.size()) {}

  void settle(NodeId first, NodeId copy) {
    const ModuleId module = module_of(first);
    const auto [known, is_new] = steps_.try_emplace(first);  // it may have many copies and many consumers
    if (is_new) known->second = steps_to_consumer(first, module);
    const std::optional<std::uint32_t> steps = known->second;
    if (!steps) return;
    ModuleId found = no_module;
    bool is_unanimous = true;
    for_each_consumer(copy, [&](NodeId consumer) {
      const ModuleId each = enclosing(module_of(consumer), *steps);
      is_unanimous &= each != no_module && (found == no_module || each == found);
      found = each;
    });
    if (is_unanimous && found != no_module && depth_of(found) == depth_of(module)) move(copy, found);
  }

  // A constant or shape that only moved nodes read moves with them.
  void follow_consumers(NodeId id) {
    ModuleId found = no_module;
    bool have_all_moved = true;
    for_each_consumer(id, [&](NodeId consumer) {
      const Move& moved = moves_[consumer];
      have_all_moved &=
          moved.to != no_module && moved.from == module_of(id) && (found == no_module || moved.to == found);
      found = moved.to;
    });
    if (have_all_moved && found != no_module) move(id, found);
  }

  // A cast or a view that was inserted after a moved node moves with it.
  void follow_producer(NodeId producer) {
    for (const onnx::ValueId output : derived_.node(producer).outputs())
      if (output != onnx::none)
        for (const NodeId consumer : uses_.of(output))
          if (origins_[consumer].kind == OriginKind::inserted && module_of(consumer) == moves_[producer].from)
            move(consumer, moves_[producer].to);
  }

  bool has_moved(NodeId id) const { return moves_[id].to != no_module; }

 private:
  // Visits the nodes that read a node's outputs, and those behind a few casts and views that were inserted.
  template <typename Visit>
  void for_each_consumer(NodeId id, Visit visit, int max_inserted = 4) const {
    for (const onnx::ValueId output : derived_.node(id).outputs())
      if (output != onnx::none)
        for (const NodeId consumer : uses_.of(output)) {
          if (max_inserted > 0 && origins_[consumer].kind == OriginKind::inserted)
            for_each_consumer(consumer, visit, max_inserted - 1);
          else
            visit(consumer);
        }
  }

  void move(NodeId id, ModuleId to) {
    AncestorAnswer& answer = answers_.answers[id];
    const ModuleId from = module_of(id);
    if (from == to) return;
    answer.first_module = static_cast<std::uint32_t>(answers_.modules.size());
    answer.module_count = 1;
    answer.call = std::nullopt;
    answers_.modules.push_back(to);
    answers_.parts.push_back(evidence::Part::other);
    moves_[id] = {from, to};
  }

  // The primary module of a node; none without an answer.
  ModuleId module_of(NodeId id) const {
    const auto modules = answers_.modules_of(id);
    return modules.empty() || answers_.answers[id].no_answer != evidence::NoAnswer::none ? no_module
                                                                                         : modules.front();
  }
  ModuleId parent_of(ModuleId module) const { return (*answers_.tree)[module].parent; }
  ModuleId enclosing(ModuleId module, std::uint32_t steps) const {
    for (; steps > 0 && module != no_module; --steps) module = parent_of(module);
    return module;
  }
  std::uint32_t depth_of(ModuleId module) const {
    std::uint32_t depth = 0;
    for (; (module = parent_of(module)) != no_module;) ++depth;
    return depth;
  }

  // How far above its nearest consumer the module of a node is; none if it encloses no consumer.
  std::optional<std::uint32_t> steps_to_consumer(NodeId id, ModuleId module) const {
    std::optional<std::uint32_t> nearest;
    for_each_consumer(id, [&](NodeId consumer) {
      std::uint32_t steps = 0;
      for (ModuleId each = module_of(consumer); each != no_module; each = parent_of(each), ++steps)
        if (each == module) {
          nearest = std::min(nearest.value_or(steps), steps);
          return;
        }
    });
    return nearest;
  }

  const onnx::Model& derived_;
  const std::vector<Origin>& origins_;
  AncestorAnswers& answers_;
  dataflow::Uses uses_;
  std::vector<Move> moves_;                                         // by node
  std::unordered_map<NodeId, std::optional<std::uint32_t>> steps_;  // by first copy, see steps_to_consumer
};

bool is_match(const Origin& origin) {
  return origin.kind == OriginKind::computes || origin.kind == OriginKind::view;
}

// Whether the node computes what the ancestor's node does, and not a part of it.
bool is_copy(const onnx::Node& node, const Origin& origin, const onnx::Model& ancestor) {
  return is_match(origin) && node.op_type() == ancestor.node(origin.nodes.front()).op_type();
}

bool is_part_of_consumers(const Origin& origin) {
  return has_origins_of_consumers(origin.kind) || origin.proof == transfer::Proof::region;
}

}  // namespace

void settle_repeated_copies(const onnx::Model& derived, const std::vector<Origin>& origins,
                            AncestorAnswers& answers) {
  std::vector<NodeId> firsts(answers.model->node_count(), onnx::none);  // by node of the ancestor
  std::vector<NodeId> first_copies(origins.size(), onnx::none);         // by later copy
  bool has_copies = false;
  for (NodeId id = 0; id < origins.size(); ++id) {
    if (answers.answers[id].no_answer != evidence::NoAnswer::none ||
        !is_copy(derived.node(id), origins[id], *answers.model))
      continue;
    NodeId& first = firsts[origins[id].nodes.front()];
    first_copies[id] = first;
    has_copies |= first != onnx::none;
    if (first == onnx::none) first = id;
  }
  if (!has_copies) return;
  RepeatedCopies settled(derived, origins, answers);
  // Consumers come after the node, so that their answers are already settled.
  for (NodeId id = static_cast<NodeId>(origins.size()); id-- > 0;) {
    if (first_copies[id] != onnx::none)
      settled.settle(first_copies[id], id);
    else if (is_part_of_consumers(origins[id]))
      settled.follow_consumers(id);
  }
  for (NodeId id = 0; id < origins.size(); ++id)
    if (settled.has_moved(id)) settled.follow_producer(id);
}

}  // namespace thence::pipeline
