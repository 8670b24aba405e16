// execution_trace and fx_graph: operations that were recorded while the model ran, or in its torch.export
// graph, aligned with the nodes by order, content of parameters and data flow. No name in the file is read.
#include <algorithm>

#include "evidence/source.h"
#include "evidence/thresholds.h"
#include "match/flow.h"
#include "match/recording_aligner.h"
#include "match/thresholds.h"

namespace thence::evidence {
namespace {

using capture::Recording;
using match::AlignmentPass;
using match::likely;
using match::Owner;
using match::RecordingAligner;
using match::same_call;

// Whether a node may stand far from the operation that it belongs to.
bool may_be_displaced(const match::NodeItem& item, const Owner& owner) {
  return item.is_shape_or_constant || item.is_cast || !owner.is_typical;
}

// Whether it works on the model's inputs alone.
bool reads_only_inputs(const match::NodeItem& item) {
  return item.producers.empty() && item.parameters.empty();
}

// Shapes are computed in one place and used in another. Exporters merge equal ones, and equal operations on
// the model's inputs. If all consumers of such a node lie in another layer, its place in the file is no
// better evidence than its consumers are. Returns such a consumer for each item, or none.
std::vector<std::uint32_t> distant_consumers(const Recording& recording, const modules::ModuleTree& tree,
                                             const std::vector<match::NodeItem>& items,
                                             const std::vector<Owner>& owners) {
  std::vector<std::uint32_t> consumer_of(items.size(), onnx::none);
  std::vector<bool> near(items.size(), false), merged(items.size(), false);
  const auto module_of = [&](std::size_t item) { return recording.steps[owners[item].step].module; };
  const auto known = [&](std::size_t item) {
    return owners[item].probability >= likely && module_of(item) != modules::no_module;
  };
  const auto path = [&](std::size_t item) { return tree[module_of(item)].path; };
  // From the last to the first: a consumer that may be displaced itself stands for its own consumer.
  for (auto item = static_cast<std::uint32_t>(items.size()); item-- > 0;) {
    if (near[item] || !(merged[item] || may_be_displaced(items[item], owners[item])))
      consumer_of[item] = onnx::none;
    const std::uint32_t consumer = consumer_of[item] == onnx::none ? item : consumer_of[item];
    for (const std::uint32_t producer : items[item].producers) {
      if (!may_be_displaced(items[producer], owners[producer]) && !reads_only_inputs(items[producer]))
        continue;
      if (!known(producer) || !known(consumer)) continue;
      const bool another =
          consumer_of[producer] != onnx::none && module_of(consumer_of[producer]) != module_of(consumer);
      merged[producer] = merged[producer] || another;
      consumer_of[producer] = consumer;
      near[producer] = near[producer] || !modules::are_in_different_layers(path(producer), path(consumer));
    }
  }
  return consumer_of;
}

// What the second alignment assigns to the nodes of the preferred one: another step, or none.
struct SecondAlignment {
  std::vector<std::uint32_t> steps;  // by item of the preferred alignment
  std::vector<bool> agrees;          // the same call of the same module
};
SecondAlignment second_alignment(const AlignmentPass& preferred, const std::vector<std::uint32_t>& steps,
                                 const AlignmentPass& other, std::size_t nodes) {
  if (other.recording == nullptr)
    return {std::vector(steps.size(), onnx::none), std::vector(steps.size(), true)};
  std::vector<std::uint32_t> by_node(nodes, onnx::none);
  const std::vector<Owner> owners = match::owners_of(other);
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (owners[i].probability >= likely) by_node[other.items[i].node] = owners[i].step;
  SecondAlignment second;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::uint32_t step = by_node[preferred.items[i].node];
    second.steps.push_back(step);
    second.agrees.push_back(step != onnx::none && steps[i] != onnx::none &&
                            same_call(other.recording->steps[step], preferred.recording->steps[steps[i]]));
  }
  return second;
}

// Shapes and constants stand just before the operation that they are for. If the two alignments differ about
// such a node, and all its consumers lie in the call that the second one names, the second one is right.
// Returns those nodes.
std::vector<bool> overruled(const AlignmentPass& preferred, const std::vector<std::uint32_t>& steps,
                            const AlignmentPass& other, const SecondAlignment& second) {
  const std::size_t count = steps.size();
  std::vector<bool> overruled(count, false), with_first(count, false), with_second(count, false);
  for (std::size_t reader = count; reader-- > 0;) {
    const auto step_of = [&](std::size_t item) {
      return overruled[item] ? other.recording->steps[second.steps[item]]
                             : preferred.recording->steps[steps[item]];
    };
    const bool may = preferred.items[reader].is_shape_or_constant && !second.agrees[reader] &&
                     steps[reader] != onnx::none && second.steps[reader] != onnx::none;
    overruled[reader] = may && with_second[reader] && !with_first[reader];
    if (steps[reader] == onnx::none) continue;
    for (const std::uint32_t producer : preferred.items[reader].producers) {
      if (steps[producer] == onnx::none || second.steps[producer] == onnx::none) continue;
      const bool same = same_call(step_of(reader), other.recording->steps[second.steps[producer]]);
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
std::vector<std::uint32_t> shape_users_elsewhere(const AlignmentPass& pass,
                                                 const std::vector<std::uint32_t>& steps) {
  const auto module_of = [&](std::size_t item) {
    return steps[item] == onnx::none ? modules::no_module : pass.recording->steps[steps[item]].module;
  };
  std::vector<std::uint32_t> users(steps.size(), onnx::none);
  std::vector<bool> used_here(steps.size(), false);
  for (auto i = static_cast<std::uint32_t>(steps.size()); i-- > 0;) {
    const std::uint32_t user = pass.items[i].is_shape_computation ? users[i] : i;
    if (user == onnx::none || module_of(user) == modules::no_module) continue;
    for (const std::uint32_t producer : pass.items[i].producers) {
      if (!pass.items[producer].is_shape_computation) continue;
      users[producer] = user;
      used_here[producer] = used_here[producer] || module_of(producer) == module_of(user);
    }
  }
  for (std::size_t i = 0; i < users.size(); ++i)
    if (used_here[i]) users[i] = onnx::none;
  return users;
}

// In a file in order there is one alignment, and it is certain or not.
Certainty certainty_in_order(bool no_doubt) { return no_doubt ? Certainty::full : Certainty::low; }

// In a reordered file, what counts is how many of its alignments agree.
Certainty certainty_by_votes(const Owner& owner, bool shape_or_constant, bool flows) {
  const bool all = owner.votes == RecordingAligner::all_votes &&
                   (owner.probability >= certain_posterior || (flows && !shape_or_constant));
  const bool most = owner.votes + 1 >= RecordingAligner::all_votes;
  return all ? Certainty::full : most ? Certainty::most : Certainty::low;
}

// Assigns each node to a step, to two rival steps, or to none, which leaves it to propagation.
class Projection {
 public:
  using Step = capture::RecordedStep;
  struct Placement {
    const Step* step = nullptr;
    const Step* rival = nullptr;
    Strength strength = {.statement = Statement::alignment, .has_rivals = true};
  };

  Projection(const Recording& recorded, const onnx::Model& model, const hierarchy::Hierarchy& hierarchy)
      : aligner_(recorded, model, *hierarchy.recorded()),
        preferred_(aligner_.preferred()),
        owners_(aligner_.owners()) {
    for (const Owner& owner : owners_) steps_.push_back(owner.probability < likely ? onnx::none : owner.step);
    distant_ = distant_consumers(*preferred_.recording, hierarchy.tree(), preferred_.items, owners_);
    flows_ = match::flow_agrees(*preferred_.recording, preferred_.items, steps_);
    second_ = second_alignment(preferred_, steps_, aligner_.other(), model.node_count());
    if (!aligner_.in_order())
      for (std::size_t i = 0; i < owners_.size(); ++i)
        second_.agrees[i] = owners_[i].votes == RecordingAligner::all_votes;
    overruled_ = overruled(preferred_, steps_, aligner_.other(), second_);
    lacks_shape_ops_ = lacks_shape_ops(recorded, preferred_.items);
    users_ =
        lacks_shape_ops_ ? shape_users_elsewhere(preferred_, steps_) : std::vector(steps_.size(), onnx::none);
  }

  const std::vector<match::NodeItem>& items() const { return preferred_.items; }

  Placement of(std::size_t i) const {
    if (steps_[i] == onnx::none) return {};
    const Step& own = step(steps_[i]);
    if (distant_[i] != onnx::none) return {&own, &step(owners_[distant_[i]].step)};
    const bool shape_or_constant = items()[i].is_shape_or_constant, agrees = second_.agrees[i];
    const bool doubted = owners_[i].probability < certain_posterior &&
                         !agrees;  // the two alignments differ, and neither is certain
    if (shape_or_constant && doubted && aligner_.in_order() && second_.steps[i] != onnx::none)
      return {&own, &other_step(i)};
    if (is_left_to_consumers(i)) return {};
    if (users_[i] != onnx::none) return {&own, &step(steps_[users_[i]])};
    return {overruled_[i] ? &other_step(i) : &own, nullptr, strength(i)};
  }

 private:
  const Step& step(std::uint32_t number) const { return preferred_.recording->steps[number]; }
  const Step& other_step(std::size_t i) const { return aligner_.other().recording->steps[second_.steps[i]]; }

  Strength strength(std::size_t i) const {
    const Owner& owner = owners_[i];
    const bool shape_or_constant = items()[i].is_shape_or_constant, in_order = aligner_.in_order();
    // Relabelling is judged by itself, whatever the order and the role of the node.
    if (owner.probability >= certain_posterior && step(steps_[i]).relabelled)
      return {.statement = Statement::alignment, .is_relabelled = true};
    const bool no_doubt =
        owner.probability >= certain_posterior && second_.agrees[i] && (shape_or_constant || flows_[i]);
    return {.statement = Statement::alignment,
            .certainty = in_order ? certainty_in_order(no_doubt)
                                  : certainty_by_votes(owner, shape_or_constant, flows_[i]),
            .is_reordered = !in_order,
            .is_shape_or_constant = shape_or_constant};
  }

  bool is_left_to_consumers(std::size_t i) const {
    const bool shape_or_constant = items()[i].is_shape_or_constant, agrees = second_.agrees[i];
    if (shape_or_constant && !aligner_.in_order() && preferred_.alignment.anchors.empty())
      return true;  // no order at all
    if (!lacks_shape_ops_) return false;
    if (items()[i].is_shape_computation) return owners_[i].probability < certain_posterior || !agrees;
    return !shape_or_constant && !agrees && !flows_[i];  // only its place in the file supports it
  }

  RecordingAligner aligner_;
  const AlignmentPass& preferred_;
  const std::vector<Owner>& owners_;
  std::vector<std::uint32_t> steps_;     // by item, as all that follow: its step
  std::vector<std::uint32_t> distant_;   // a consumer in another layer
  std::vector<std::uint32_t> users_;     // an item of another module that uses its shape
  std::vector<bool> flows_, overruled_;  // data flows along; the second alignment is right
  SecondAlignment second_;
  bool lacks_shape_ops_ = false;  // the recording has no operations on shapes, the file has
};

}  // namespace

void collect_projection(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Source source,
                        Sink& sink) {
  const capture::Capture* const capture = hierarchy.recorded();
  if (capture == nullptr) return;
  const std::optional<Recording>& recorded = source == Source::execution_trace ? capture->trace : capture->fx;
  if (!recorded) return;
  const Projection projection(*recorded, model, hierarchy);
  std::vector<Evidence> found;
  for (std::size_t i = 0; i < projection.items().size(); ++i) {
    const Projection::Placement placement = projection.of(i);
    for (const capture::RecordedStep* step : {placement.step, placement.rival})
      if (step != nullptr && step->module != modules::no_module)
        found.push_back({.node = projection.items()[i].node,
                         .module = step->module,
                         .call = step->call,
                         .source = source,
                         .strength = placement.strength,
                         .why = recorded->words[step->word]});  // which outlive the alignments
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Evidence& a, const Evidence& b) { return a.node < b.node; });
  for (const Evidence& evidence : found) sink.push(evidence);
}

}  // namespace thence::evidence
