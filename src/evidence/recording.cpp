// execution_trace and fx_graph: operations that were recorded while the model ran, or in its torch.export
// graph, aligned with the nodes by order, content of parameters and data flow. No name in the file is read.
#include <algorithm>

#include "evidence/source.h"
#include "evidence/thresholds.h"
#include "evidence/wrapper_nodes.h"
#include "match/data_flow.h"
#include "match/recording_aligner.h"
#include "match/thresholds.h"

namespace thence::evidence {
namespace {

using capture::Recording;
using match::AlignmentPass;
using match::is_same_call;
using match::min_assigned_posterior;
using match::RecordingAligner;
using match::StepAssignment;

// Whether a node may stand far from the operation that it belongs to.
bool may_be_displaced(const match::NodeItem& item, const StepAssignment& assignment) {
  return item.is_shape_or_constant || item.is_cast || !assignment.is_typical;
}

// Whether it works on the model's inputs alone.
bool reads_only_inputs(const match::NodeItem& item) {
  return item.producers.empty() && item.parameters.empty();
}

// Shapes are computed in one place and used in another. Exporters merge equal ones, and equal operations on
// the model's inputs. If all consumers of such a node lie in another layer, its place in the file is no
// better evidence than its consumers are. Returns such a consumer for each item, or none.
std::vector<std::uint32_t> find_distant_consumers(const Recording& recording, const modules::ModuleTree& tree,
                                                  const std::vector<match::NodeItem>& items,
                                                  const std::vector<StepAssignment>& assignments) {
  std::vector<std::uint32_t> consumer_of(items.size(), onnx::none);
  std::vector<bool> has_near_consumer(items.size(), false), feeds_several_modules(items.size(), false);
  const auto module_of = [&](std::size_t item) { return recording.steps[assignments[item].step].module; };
  const auto is_assigned = [&](std::size_t item) {
    return assignments[item].probability >= min_assigned_posterior && module_of(item) != modules::no_module;
  };
  const auto path = [&](std::size_t item) { return tree[module_of(item)].path; };
  // From the last to the first: a consumer that may be displaced itself stands for its own consumer.
  for (auto item = static_cast<std::uint32_t>(items.size()); item-- > 0;) {
    if (has_near_consumer[item] ||
        !(feeds_several_modules[item] || may_be_displaced(items[item], assignments[item])))
      consumer_of[item] = onnx::none;
    const std::uint32_t consumer = consumer_of[item] == onnx::none ? item : consumer_of[item];
    for (const std::uint32_t producer : items[item].producers) {
      if (!may_be_displaced(items[producer], assignments[producer]) && !reads_only_inputs(items[producer]))
        continue;
      if (!is_assigned(producer) || !is_assigned(consumer)) continue;
      const bool another =
          consumer_of[producer] != onnx::none && module_of(consumer_of[producer]) != module_of(consumer);
      feeds_several_modules[producer] = feeds_several_modules[producer] || another;
      consumer_of[producer] = consumer;
      has_near_consumer[producer] =
          has_near_consumer[producer] || !modules::are_in_different_layers(path(producer), path(consumer));
    }
  }
  return consumer_of;
}

// What the second alignment assigns to the nodes of the preferred one: another step, or none.
struct SecondAlignment {
  std::vector<std::uint32_t> steps;  // by item of the preferred alignment
  std::vector<bool> agrees;          // the same call of the same module
};
SecondAlignment compare_second_alignment(const AlignmentPass& preferred,
                                         const std::vector<std::uint32_t>& steps, const AlignmentPass& other,
                                         std::size_t nodes) {
  if (other.recording == nullptr)
    return {std::vector(steps.size(), onnx::none), std::vector(steps.size(), true)};
  std::vector<std::uint32_t> by_node(nodes, onnx::none);
  const std::vector<StepAssignment> assignments = match::assignments_of(other);
  for (std::size_t i = 0; i < assignments.size(); ++i)
    if (assignments[i].probability >= min_assigned_posterior)
      by_node[other.items[i].node] = assignments[i].step;
  SecondAlignment second;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::uint32_t step = by_node[preferred.items[i].node];
    second.steps.push_back(step);
    second.agrees.push_back(
        step != onnx::none && steps[i] != onnx::none &&
        is_same_call(preferred.items[i], other.recording->steps[step], preferred.recording->steps[steps[i]]));
  }
  return second;
}

// Shapes and constants stand just before the operation that they are for. If the two alignments differ about
// such a node, and all its consumers lie in the call that the second one names, the second one is right.
// Returns those nodes.
std::vector<bool> find_overruled(const AlignmentPass& preferred, const std::vector<std::uint32_t>& steps,
                                 const AlignmentPass& other, const SecondAlignment& second) {
  const std::size_t count = steps.size();
  std::vector<bool> overruled(count, false), with_first(count, false), with_second(count, false);
  for (std::size_t consumer = count; consumer-- > 0;) {
    const auto step_of = [&](std::size_t item) {
      return overruled[item] ? other.recording->steps[second.steps[item]]
                             : preferred.recording->steps[steps[item]];
    };
    const bool is_disputed = preferred.items[consumer].is_shape_or_constant && !second.agrees[consumer] &&
                             steps[consumer] != onnx::none && second.steps[consumer] != onnx::none;
    overruled[consumer] = is_disputed && with_second[consumer] && !with_first[consumer];
    if (steps[consumer] == onnx::none) continue;
    for (const std::uint32_t producer : preferred.items[consumer].producers) {
      if (steps[producer] == onnx::none || second.steps[producer] == onnx::none) continue;
      const bool same = is_same_call(preferred.items[consumer], step_of(consumer),
                                     other.recording->steps[second.steps[producer]]);
      (same ? with_second : with_first)[producer] = true;
    }
  }
  return overruled;
}

// A torch.export graph may have numbers where the file computes shapes: it does not show which module reads
// them.
bool lacks_shape_ops(const Recording& recording, const std::vector<match::NodeItem>& items) {
  return std::any_of(items.begin(), items.end(),
                     [](const match::NodeItem& item) { return item.is_shape_computation; }) &&
         std::none_of(recording.steps.begin(), recording.steps.end(), [](const capture::RecordedStep& step) {
           return step.kind == capture::RecordedStep::Kind::size;
         });
}

// For each item that computes a shape: an item that uses it in the end, if all such items are of other
// modules than the item itself; else none.
std::vector<std::uint32_t> find_shape_users_elsewhere(const AlignmentPass& pass,
                                                      const std::vector<std::uint32_t>& steps) {
  const auto module_of = [&](std::size_t item) {
    return steps[item] == onnx::none ? modules::no_module : pass.recording->steps[steps[item]].module;
  };
  std::vector<std::uint32_t> users(steps.size(), onnx::none);
  std::vector<bool> is_used_by_own_module(steps.size(), false);
  for (auto i = static_cast<std::uint32_t>(steps.size()); i-- > 0;) {
    const std::uint32_t user = pass.items[i].is_shape_computation ? users[i] : i;
    if (user == onnx::none || module_of(user) == modules::no_module) continue;
    for (const std::uint32_t producer : pass.items[i].producers) {
      if (!pass.items[producer].is_shape_computation) continue;
      users[producer] = user;
      is_used_by_own_module[producer] =
          is_used_by_own_module[producer] || module_of(producer) == module_of(user);
    }
  }
  for (std::size_t i = 0; i < users.size(); ++i)
    if (is_used_by_own_module[i]) users[i] = onnx::none;
  return users;
}

// Casts of outputs that read what no recorded step at their place reads: converters of the number type append
// them to the file, after all other nodes.
std::vector<bool> find_inserted_casts(const onnx::Model& model, const std::vector<match::NodeItem>& items,
                                      const std::vector<bool>& follows_flow) {
  const auto reads_node = [&](onnx::NodeId node) {
    const auto inputs = model.node(node).inputs();
    return !inputs.empty() && inputs[0] != onnx::none &&
           model.producer(inputs[0]).kind == onnx::Producer::Kind::node;
  };
  std::vector<bool> is_inserted(items.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    is_inserted[i] =
        items[i].is_cast && reads_node(items[i].node) && (items[i].producers.empty() || !follows_flow[i]);
  for (const match::NodeItem& item : items)
    for (const std::uint32_t producer : item.producers) is_inserted[producer] = false;
  return is_inserted;
}

// In a file in order there is one alignment, and it is certain or not.
Certainty certainty_in_order(bool is_certain) { return is_certain ? Certainty::full : Certainty::low; }

// In a reordered file, what counts is how many of its alignments agree.
Certainty certainty_by_votes(const StepAssignment& assignment, bool shape_or_constant, bool follows_flow) {
  const bool all = assignment.votes == RecordingAligner::alignment_count &&
                   (assignment.probability >= certain_posterior || (follows_flow && !shape_or_constant));
  const bool most = assignment.votes + 1 >= RecordingAligner::alignment_count;
  return all ? Certainty::full : most ? Certainty::most : Certainty::low;
}

// Assigns each node to a step, to two rival steps, or to none, which leaves it to propagation.
class StepAssigner {
 public:
  using Step = capture::RecordedStep;
  struct Assignment {
    const Step* step = nullptr;
    const Step* rival = nullptr;
    Strength strength = {.statement = Statement::alignment, .has_rivals = true};
  };

  StepAssigner(const Recording& recorded, const onnx::Model& model, const hierarchy::Hierarchy& hierarchy)
      : aligner_(recorded, model, *hierarchy.recorded()),
        preferred_(aligner_.preferred()),
        assignments_(aligner_.assignments()) {
    for (const StepAssignment& assignment : assignments_)
      steps_.push_back(assignment.probability < min_assigned_posterior ? onnx::none : assignment.step);
    distant_consumers_ =
        find_distant_consumers(*preferred_.recording, hierarchy.tree(), preferred_.items, assignments_);
    follows_flow_ = match::check_data_flow(*preferred_.recording, preferred_.items, steps_);
    second_ = compare_second_alignment(preferred_, steps_, aligner_.alternative(), model.node_count());
    if (!aligner_.is_file_ordered())
      for (std::size_t i = 0; i < assignments_.size(); ++i)
        second_.agrees[i] = assignments_[i].votes == RecordingAligner::alignment_count;
    overruled_ = find_overruled(preferred_, steps_, aligner_.alternative(), second_);
    is_cast_of_output_ = find_inserted_casts(model, preferred_.items, follows_flow_);
    lacks_shape_ops_ = lacks_shape_ops(recorded, preferred_.items);
    shape_users_ = lacks_shape_ops_ ? find_shape_users_elsewhere(preferred_, steps_)
                                    : std::vector(steps_.size(), onnx::none);
  }

  const std::vector<match::NodeItem>& items() const { return preferred_.items; }

  Assignment assign(std::size_t i) const {
    if (steps_[i] == onnx::none || is_cast_of_output_[i]) return {};
    const Step& own = step(steps_[i]);
    if (distant_consumers_[i] != onnx::none) return {&own, &step(assignments_[distant_consumers_[i]].step)};
    const bool shape_or_constant = items()[i].is_shape_or_constant, agrees = second_.agrees[i];
    const bool is_doubted = assignments_[i].probability < certain_posterior &&
                            !agrees;  // the two alignments differ, and neither is certain
    if (shape_or_constant && is_doubted && aligner_.is_file_ordered() && second_.steps[i] != onnx::none)
      return {&own, &second_step(i)};
    if (is_left_to_consumers(i)) return {};
    if (shape_users_[i] != onnx::none) return {&own, &step(steps_[shape_users_[i]])};
    return {overruled_[i] ? &second_step(i) : &own, nullptr, strength(i)};
  }

 private:
  const Step& step(std::uint32_t number) const { return preferred_.recording->steps[number]; }
  const Step& second_step(std::size_t i) const {
    return aligner_.alternative().recording->steps[second_.steps[i]];
  }

  Strength strength(std::size_t i) const {
    const StepAssignment& assignment = assignments_[i];
    const bool shape_or_constant = items()[i].is_shape_or_constant,
               is_file_ordered = aligner_.is_file_ordered();
    // Relabelling is judged by itself, whatever the order and the role of the node.
    if (assignment.probability >= certain_posterior && step(steps_[i]).relabelled)
      return {.statement = Statement::alignment, .is_relabelled = true};
    const bool is_certain = assignment.probability >= certain_posterior && second_.agrees[i] &&
                            (shape_or_constant || follows_flow_[i]);
    return {.statement = Statement::alignment,
            .certainty = is_file_ordered
                             ? certainty_in_order(is_certain)
                             : certainty_by_votes(assignment, shape_or_constant, follows_flow_[i]),
            .is_reordered = !is_file_ordered,
            .is_shape_or_constant = shape_or_constant};
  }

  bool is_left_to_consumers(std::size_t i) const {
    const bool shape_or_constant = items()[i].is_shape_or_constant, agrees = second_.agrees[i];
    if (shape_or_constant && !aligner_.is_file_ordered() && preferred_.alignment.anchors.empty())
      return true;  // no order at all
    if (!lacks_shape_ops_) return false;
    if (items()[i].is_shape_computation) return assignments_[i].probability < certain_posterior || !agrees;
    return !shape_or_constant && !agrees && !follows_flow_[i];  // only its place in the file supports it
  }

  RecordingAligner aligner_;
  const AlignmentPass& preferred_;
  const std::vector<StepAssignment>& assignments_;
  std::vector<std::uint32_t> steps_;              // by item, as all that follow: its step
  std::vector<std::uint32_t> distant_consumers_;  // a consumer in another layer
  std::vector<std::uint32_t> shape_users_;        // an item of another module that uses its shape
  std::vector<bool> is_cast_of_output_;           // a converter inserted it
  std::vector<bool> follows_flow_, overruled_;    // data flows along; the second alignment is right
  SecondAlignment second_;
  bool lacks_shape_ops_ = false;  // the recording has no operations on shapes, the file has
};

// By node: whether it is in a body, and in the branch of an `If`.
struct Enclosing {
  bool has_body = false, has_branch = false;
};

// By graph.
std::vector<Enclosing> find_enclosing(const onnx::Model& model) {
  std::vector<Enclosing> found(model.graphs().size());
  for (onnx::GraphId id = 0; id < found.size(); ++id) {  // a graph comes after the one that encloses it
    const onnx::Graph& graph = model.graphs()[id];
    if (graph.kind != onnx::Graph::Kind::body) continue;
    const bool is_branch = model.node(graph.owner).op_type() == "If";
    found[id] = {true, is_branch || found[graph.parent].has_branch};
  }
  return found;
}

// A trace may have control flow as one operation, which says nothing about the nodes in its bodies.
bool is_control_flow(std::string_view op) {
  constexpr std::string_view prefix = "torch.ops.higher_order.";
  if (op.starts_with(prefix)) op.remove_prefix(prefix.size());
  return op == "cond" || op == "while_loop" || op == "scan" || op == "map_impl";
}

}  // namespace

void collect_recording(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Source source,
                       Sink& sink) {
  const capture::Capture* const capture = hierarchy.recorded();
  if (capture == nullptr) return;
  const std::optional<Recording>& recorded = source == Source::execution_trace ? capture->trace : capture->fx;
  if (!recorded) return;
  const StepAssigner assigner(*recorded, model, hierarchy);
  const std::vector<bool> is_of_wrapper = find_wrapper_nodes(model, hierarchy);
  const std::vector<Enclosing> enclosing = find_enclosing(model);
  std::vector<Evidence> found;
  for (std::size_t i = 0; i < assigner.items().size(); ++i) {
    const NodeId node = assigner.items()[i].node;
    if (!is_of_wrapper.empty() && is_of_wrapper[node]) continue;
    const Enclosing& around = enclosing[model.node(node).graph()];
    StepAssigner::Assignment assigned = assigner.assign(i);
    assigned.strength.is_in_body = around.has_body;
    assigned.strength.is_in_branch = around.has_branch;
    // Calls of one module are alike. In a reordered file nothing shows which of them is which.
    for (const capture::RecordedStep* step : {assigned.step, assigned.rival})
      if (step != nullptr && step->module != modules::no_module &&
          !(around.has_body && is_control_flow(recorded->op_names[step->op_name])))
        found.push_back({.node = node,
                         .module = step->module,
                         .call = assigned.strength.is_reordered ? std::nullopt : step->call,
                         .source = source,
                         .strength = assigned.strength,
                         .why = recorded->op_names[step->op_name]});  // which outlive the alignments
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Evidence& a, const Evidence& b) { return a.node < b.node; });
  for (const Evidence& evidence : found) sink.push(evidence);
}

}  // namespace thence::evidence
