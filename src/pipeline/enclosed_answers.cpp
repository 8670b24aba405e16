#include "pipeline/enclosed_answers.h"

#include <algorithm>

#include "dataflow/uses.h"

namespace thence::pipeline {
namespace {

using evidence::AncestorAnswer;
using evidence::NoAnswer;
using modules::ModuleId;
using modules::no_module;
using onnx::NodeId;

// The modules found on one side of a node: none yet, one, or several, which is as good as none.
struct Side {
  ModuleId module = no_module;
  bool has_several = false;
  float max_confidence = 1;

  void add(const Side& other) {
    has_several |=
        other.has_several || (module != no_module && other.module != no_module && module != other.module);
    if (module == no_module) module = other.module;
    max_confidence = std::min(max_confidence, other.max_confidence);
  }
  static Side several() { return {.has_several = true}; }
};

class EnclosedNodes {
 public:
  EnclosedNodes(const onnx::Model& derived, evidence::AncestorAnswers& answers)
      : derived_(derived),
        answers_(answers),
        uses_(derived),
        before_(answers.answers.size()),
        after_(before_) {}

  void run() {
    mark_outputs();
    const auto count = static_cast<NodeId>(answers_.answers.size());
    // Exporters and optimisers write nodes in topological order. In a file that is not sorted, some nodes are
    // reached before their neighbours and stay unanswered.
    for (NodeId id = 0; id < count; ++id)
      if (is_open(id)) before_[id] = producers_of(id);
    for (NodeId id = count; id-- > 0;)
      if (is_open(id)) after_[id] = consumers_of(id);
    for (NodeId id = 0; id < count; ++id)
      if (is_open(id)) answer(id);
  }

 private:
  bool is_open(NodeId id) const { return answers_.answers[id].no_answer == NoAnswer::not_matched; }

  void mark_outputs() {
    is_output_.assign(derived_.value_count(), false);
    for (const onnx::Graph& graph : derived_.graphs())
      for (const onnx::ValueId value : graph.outputs)
        if (value != onnx::none) is_output_[value] = true;
  }

  // That of the node's own answer. A node with several modules does not tell which of them it is beside.
  Side side_of(NodeId id) const {
    const auto modules = answers_.modules_of(id);
    if (answers_.answers[id].no_answer != NoAnswer::none || modules.size() != 1) return Side::several();
    return {.module = modules.front(), .max_confidence = answers_.answers[id].max_confidence};
  }

  Side producers_of(NodeId id) const {
    Side side;
    for (const onnx::ValueId value : derived_.node(id).inputs()) {
      const onnx::Producer producer = value == onnx::none ? onnx::Producer() : derived_.producer(value);
      if (producer.kind == onnx::Producer::Kind::node)
        side.add(is_open(producer.index) ? before_[producer.index] : producer_side(producer.index));
      else if (producer.kind == onnx::Producer::Kind::graph_input)
        side.add(Side::several());
    }
    return side;
  }

  // Constants and shapes belong to their consumers, so they say nothing about where a node is.
  Side producer_side(NodeId id) const {
    const evidence::NodeMatch match = answers_.answers[id].strength.match;
    const bool is_operand =
        match == evidence::NodeMatch::feeds_matched || match == evidence::NodeMatch::feeds_matched_indirectly;
    return is_operand ? Side() : side_of(id);
  }

  Side consumers_of(NodeId id) const {
    Side side;
    for (const onnx::ValueId value : derived_.node(id).outputs()) {
      if (value == onnx::none) continue;
      if (is_output_[value]) side.add(Side::several());
      for (const NodeId consumer : uses_.of(value))
        side.add(is_open(consumer) ? after_[consumer] : side_of(consumer));
    }
    return side;
  }

  void answer(NodeId id) {
    Side both = before_[id];
    if (both.module == no_module || after_[id].module == no_module) return;
    both.add(after_[id]);
    if (both.has_several) return;
    AncestorAnswer& answer = answers_.answers[id];
    answer.no_answer = NoAnswer::none;
    answer.strength.match = evidence::NodeMatch::enclosed;
    answer.max_confidence = both.max_confidence;
    answer.first_module = static_cast<std::uint32_t>(answers_.modules.size());
    answer.module_count = 1;
    answers_.modules.push_back(both.module);
    answers_.parts.push_back(evidence::Part::other);
  }

  const onnx::Model& derived_;
  evidence::AncestorAnswers& answers_;
  dataflow::Uses uses_;
  std::vector<bool> is_output_;  // by value
  std::vector<Side> before_, after_;
};

}  // namespace

void answer_enclosed_nodes(const onnx::Model& derived, evidence::AncestorAnswers& answers) {
  const bool has_open =
      std::any_of(answers.answers.begin(), answers.answers.end(),
                  [](const AncestorAnswer& each) { return each.no_answer == NoAnswer::not_matched; });
  if (has_open) EnclosedNodes(derived, answers).run();
}

}  // namespace thence::pipeline
