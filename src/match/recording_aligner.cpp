#include "match/recording_aligner.h"

#include <algorithm>
#include <array>

#include "match/items.h"
#include "match/thresholds.h"

namespace thence::match {
namespace {

using capture::RecordedStep;
using capture::Recording;

StepAssignment choose_assignment(const Recording& recording, const NodeItem& item,
                                 const std::vector<StepPosterior>& posteriors) {
  StepAssignment best;
  for (const StepPosterior& one : posteriors) {
    if (!one.is_typical && item.is_shape_or_constant) continue;
    float probability = 0;
    for (const StepPosterior& other : posteriors)
      if (is_same_call(item, recording.steps[other.step], recording.steps[one.step]))
        probability += other.probability;
    if (probability > best.probability) best = {one.step, probability, one.is_typical};
  }
  return best;
}

// By node, with the step numbers of the original recording.
std::vector<StepAssignment> assignments_by_node(const AlignmentPass& pass, std::size_t nodes) {
  std::vector<StepAssignment> by_node(nodes);
  const std::vector<StepAssignment> assignments = assignments_of(pass);
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    StepAssignment& assignment = by_node[pass.items[i].node] = assignments[i];
    if (assignment.probability > 0) assignment.step = pass.original_steps[assignment.step];
  }
  return by_node;
}

// The assignment with the most votes. With equally many, the first in the list, which begins with the
// alignment that has the most anchors. An assignment with a low posterior has no vote.
StepAssignment elect_by_votes(
    const Recording& recording, const NodeItem& item,
    const std::array<StepAssignment, RecordingAligner::alignment_count>& candidates) {
  StepAssignment best = candidates.front();
  best.votes = 0;
  for (const StepAssignment& one : candidates) {
    if (one.probability < min_assigned_posterior) continue;
    const auto votes = std::count_if(candidates.begin(), candidates.end(), [&](const StepAssignment& other) {
      return other.probability >= min_assigned_posterior &&
             is_same_call(item, recording.steps[other.step], recording.steps[one.step]);
    });
    if (votes <= best.votes) continue;
    best = one;
    best.votes = static_cast<std::uint8_t>(votes);
  }
  return best;
}

// The step that an alignment is certain of, by its number in the original recording; none if there is no
// such.
std::uint32_t find_certain_step(const AlignmentPass& pass, std::size_t item) {
  const std::vector<StepPosterior>& posteriors = pass.alignment.posteriors[item];
  const bool certain = !posteriors.empty() && posteriors.front().probability >= min_anchor_posterior &&
                       posteriors.front().is_typical;
  return certain ? pass.original_steps[posteriors.front().step] : onnx::none;
}

}  // namespace

bool is_same_call(const NodeItem& item, const RecordedStep& a, const RecordedStep& b) {
  return a.module == b.module && (item.is_in_loop || !a.call || !b.call || *a.call == *b.call);
}

std::vector<StepAssignment> assignments_of(const AlignmentPass& pass) {
  std::vector<StepAssignment> assignments;
  for (std::size_t i = 0; i < pass.items.size(); ++i)
    assignments.push_back(choose_assignment(*pass.recording, pass.items[i], pass.alignment.posteriors[i]));
  return assignments;
}

RecordingAligner::RecordingAligner(const Recording& recording, const onnx::Model& model,
                                   const capture::Capture& capture) {
  in_file_order_.recording = &recording;
  in_file_order_.items =
      items_of(model, parameters_by_content(model, capture, recording), emitted_operators(recording));
  choose_table(model);
  const Alignment& file_alignment = in_file_order_.alignment;
  const bool is_local = producer_locality(model) >= min_ordered_locality;
  if (table_ != nullptr && !(is_local && file_alignment.anchors.empty())) {
    alap_ = align_scheduled(model, file_alignment.anchors, Schedule::alap, alap_recording_);
    is_file_ordered_ = is_local && file_alignment.ordered_share >= min_ordered_anchor_share &&
                       alap_.alignment.log_likelihood - file_alignment.log_likelihood <
                           min_reordering_gain * static_cast<double>(in_file_order_.items.size());
  }
  if (is_file_ordered_)
    assignments_ = assignments_of(in_file_order_);
  else
    align_reordered(model);
}

// Aligns in the order of the file with each exporter's table, and keeps the best.
void RecordingAligner::choose_table(const onnx::Model& model) {
  for (const EmissionTable& table : EmissionTable::shipped()) {
    Alignment found = align(*in_file_order_.recording, model, in_file_order_.items, table, {});
    if (table_ != nullptr && found.log_likelihood <= in_file_order_.alignment.log_likelihood) continue;
    in_file_order_.alignment = std::move(found);
    table_ = &table;
  }
}

AlignmentPass RecordingAligner::align_scheduled(const onnx::Model& model, const std::vector<Anchor>& anchors,
                                                Schedule schedule, Recording& recording) const {
  Reordered reordered = reorder_both(*in_file_order_.recording, in_file_order_.items, anchors, schedule);
  recording = std::move(reordered.recording);
  AlignmentPass pass{&recording, std::move(reordered.items), {}, std::move(reordered.original_steps)};
  pass.alignment = align(recording, model, pass.items, *table_, {});
  return pass;
}

void RecordingAligner::align_reordered(const onnx::Model& model) {
  asap_ = align_scheduled(model, in_file_order_.alignment.anchors, Schedule::asap, asap_recording_);
  const std::size_t nodes = model.node_count();
  const std::vector<StepAssignment> first_alap = assignments_by_node(alap_, nodes),
                                    first_asap = assignments_by_node(asap_, nodes);
  const std::vector<Anchor> anchors = collect_agreed_anchors();
  alap_ = align_scheduled(model, anchors, Schedule::alap, alap_recording_);
  asap_ = align_scheduled(model, anchors, Schedule::asap, asap_recording_);
  const std::vector<StepAssignment> alap = assignments_by_node(alap_, nodes),
                                    asap = assignments_by_node(asap_, nodes);
  std::vector<std::uint32_t> positions(alap_.original_steps.size());
  for (std::uint32_t position = 0; position < positions.size(); ++position)
    positions[alap_.original_steps[position]] = position;
  for (const NodeItem& item : alap_.items) {
    const onnx::NodeId node = item.node;
    StepAssignment assignment = elect_by_votes(*in_file_order_.recording, item,
                                               {alap[node], first_alap[node], asap[node], first_asap[node]});
    // The caller reads steps of `alap_recording_`, so numbers of the original recording are converted back.
    if (assignment.probability > 0) assignment.step = positions[assignment.step];
    assignments_.push_back(assignment);
  }
}

// Those of the file, and data nodes whose step both schedules are certain of. Shapes and constants follow
// from data.
std::vector<Anchor> RecordingAligner::collect_agreed_anchors() const {
  std::unordered_map<onnx::NodeId, std::uint32_t> by_asap;
  for (std::size_t i = 0; i < asap_.items.size(); ++i)
    by_asap.emplace(asap_.items[i].node, find_certain_step(asap_, i));
  std::unordered_map<onnx::NodeId, std::uint32_t> agreed;
  for (std::size_t i = 0; i < alap_.items.size(); ++i) {
    const NodeItem& item = alap_.items[i];
    const std::uint32_t step = find_certain_step(alap_, i);
    if (step != onnx::none && !item.is_shape_or_constant && by_asap.at(item.node) == step)
      agreed.emplace(item.node, step);
  }
  std::vector<Anchor> anchors = in_file_order_.alignment.anchors;
  for (const Anchor& anchor : anchors) agreed.erase(in_file_order_.items[anchor.item].node);
  for (std::uint32_t item = 0; item < in_file_order_.items.size(); ++item)
    if (const auto found = agreed.find(in_file_order_.items[item].node); found != agreed.end())
      anchors.push_back({item, found->second});
  return anchors;
}

}  // namespace thence::match
