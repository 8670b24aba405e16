#include "match/recording_aligner.h"

#include <algorithm>
#include <array>

#include "match/items.h"
#include "match/thresholds.h"

namespace thence::match {
namespace {

using capture::RecordedStep;
using capture::Recording;

Owner owner_of(const Recording& recording, const std::vector<StepPosterior>& posteriors,
               bool is_shape_or_constant) {
  Owner best;
  for (const StepPosterior& one : posteriors) {
    if (!one.is_typical && is_shape_or_constant) continue;
    float probability = 0;
    for (const StepPosterior& other : posteriors)
      if (same_call(recording.steps[other.step], recording.steps[one.step])) probability += other.probability;
    if (probability > best.probability) best = {one.step, probability, one.is_typical};
  }
  return best;
}

// By node, with the numbers of steps in the recording as it was made.
std::vector<Owner> owners_by_node(const AlignmentPass& pass, std::size_t nodes) {
  std::vector<Owner> by_node(nodes);
  const std::vector<Owner> owners = owners_of(pass);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    Owner& owner = by_node[pass.items[i].node] = owners[i];
    if (owner.probability > 0) owner.step = pass.order[owner.step];
  }
  return by_node;
}

// The owner with the most votes; with equally many, the earlier one.
Owner elect(const Recording& recording, const std::array<Owner, RecordingAligner::all_votes>& named) {
  Owner best = named.front();
  best.votes = 0;
  for (const Owner& one : named) {
    if (one.probability < likely) continue;
    const auto votes = std::count_if(named.begin(), named.end(), [&](const Owner& other) {
      return other.probability >= likely && same_call(recording.steps[other.step], recording.steps[one.step]);
    });
    if (votes <= best.votes) continue;
    best = one;
    best.votes = static_cast<std::uint8_t>(votes);
  }
  return best;
}

// The step that an alignment is certain of, as numbered when the recording was made; else none.
std::uint32_t certain_step(const AlignmentPass& pass, std::size_t item) {
  const std::vector<StepPosterior>& posteriors = pass.alignment.posteriors[item];
  const bool certain = !posteriors.empty() && posteriors.front().probability >= becomes_anchor &&
                       posteriors.front().is_typical;
  return certain ? pass.order[posteriors.front().step] : onnx::none;
}

}  // namespace

bool same_call(const RecordedStep& a, const RecordedStep& b) {
  return a.module == b.module && a.call == b.call;
}

std::vector<Owner> owners_of(const AlignmentPass& pass) {
  std::vector<Owner> owners;
  for (std::size_t i = 0; i < pass.items.size(); ++i)
    owners.push_back(
        owner_of(*pass.recording, pass.alignment.posteriors[i], pass.items[i].is_shape_or_constant));
  return owners;
}

RecordingAligner::RecordingAligner(const Recording& recording, const onnx::Model& model,
                                   const capture::Capture& capture) {
  in_file_.recording = &recording;
  in_file_.items =
      items_of(model, parameters_by_content(model, capture, recording), emitted_operators(recording));
  choose_table(model);
  const Alignment& in_file = in_file_.alignment;
  const bool is_local = producer_locality(model) >= ordered_locality;
  if (table_ != nullptr && !(is_local && in_file.anchors.empty())) {
    alap_ = align_in(model, in_file.anchors, Schedule::alap, alap_recording_);
    in_order_ = is_local && in_file.order >= ordered_anchors &&
                alap_.alignment.log_likelihood - in_file.log_likelihood <
                    reordering_gain * static_cast<double>(in_file_.items.size());
  }
  if (in_order_)
    owners_ = owners_of(in_file_);
  else
    align_reordered(model);
}

// Aligns in the order of the file with each exporter's table, and keeps the best.
void RecordingAligner::choose_table(const onnx::Model& model) {
  for (const EmissionTable& each : EmissionTable::shipped()) {
    Alignment found = align(*in_file_.recording, model, in_file_.items, each, {});
    if (table_ != nullptr && found.log_likelihood <= in_file_.alignment.log_likelihood) continue;
    in_file_.alignment = std::move(found);
    table_ = &each;
  }
}

AlignmentPass RecordingAligner::align_in(const onnx::Model& model, const std::vector<Anchor>& anchors,
                                         Schedule schedule, Recording& recording) const {
  Reordered reordered = reorder_both(*in_file_.recording, in_file_.items, anchors, schedule);
  recording = std::move(reordered.recording);
  AlignmentPass pass{&recording, std::move(reordered.items), {}, std::move(reordered.steps)};
  pass.alignment = align(recording, model, pass.items, *table_, {});
  return pass;
}

void RecordingAligner::align_reordered(const onnx::Model& model) {
  asap_ = align_in(model, in_file_.alignment.anchors, Schedule::asap, asap_recording_);
  const std::size_t nodes = model.node_count();
  const std::vector<Owner> first_alap = owners_by_node(alap_, nodes),
                           first_asap = owners_by_node(asap_, nodes);
  const std::vector<Anchor> anchors = agreed_anchors();
  alap_ = align_in(model, anchors, Schedule::alap, alap_recording_);
  asap_ = align_in(model, anchors, Schedule::asap, asap_recording_);
  const std::vector<Owner> alap = owners_by_node(alap_, nodes), asap = owners_by_node(asap_, nodes);
  std::vector<std::uint32_t> places(alap_.order.size());
  for (std::uint32_t place = 0; place < places.size(); ++place) places[alap_.order[place]] = place;
  for (const NodeItem& item : alap_.items) {
    const onnx::NodeId node = item.node;
    Owner owner = elect(*in_file_.recording, {alap[node], first_alap[node], asap[node], first_asap[node]});
    if (owner.probability > 0) owner.step = places[owner.step];
    owners_.push_back(owner);
  }
}

// Those of the file, and data nodes whose step both schedules are certain of. Shapes and constants follow
// from data.
std::vector<Anchor> RecordingAligner::agreed_anchors() const {
  std::unordered_map<onnx::NodeId, std::uint32_t> by_asap;
  for (std::size_t i = 0; i < asap_.items.size(); ++i)
    by_asap.emplace(asap_.items[i].node, certain_step(asap_, i));
  std::unordered_map<onnx::NodeId, std::uint32_t> agreed;
  for (std::size_t i = 0; i < alap_.items.size(); ++i) {
    const NodeItem& item = alap_.items[i];
    const std::uint32_t step = certain_step(alap_, i);
    if (step != onnx::none && !item.is_shape_or_constant && by_asap.at(item.node) == step)
      agreed.emplace(item.node, step);
  }
  std::vector<Anchor> anchors = in_file_.alignment.anchors;
  for (const Anchor& anchor : anchors) agreed.erase(in_file_.items[anchor.item].node);
  for (std::uint32_t item = 0; item < in_file_.items.size(); ++item)
    if (const auto found = agreed.find(in_file_.items[item].node); found != agreed.end())
      anchors.push_back({item, found->second});
  return anchors;
}

}  // namespace thence::match
