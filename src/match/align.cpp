#include "match/align.h"

#include "match/reorder.h"
#include "match/segment.h"
#include "match/thresholds.h"

namespace thence::match {
namespace {

using capture::Recording;

Alignment align_once(PairWeights& weights, const Recording& recording, const std::vector<NodeItem>& items,
                     EmissionCounts* counts) {
  Alignment alignment;
  alignment.posteriors.resize(items.size());
  alignment.anchors = anchors_of(items, weights.parameter_uses());
  const std::vector<Anchor> chain = longest_increasing_subsequence(alignment.anchors);
  if (!chain.empty())
    alignment.ordered_share = static_cast<float>(chain.size()) / static_cast<float>(alignment.anchors.size());
  if (alignment.ordered_share >= min_bounding_order) weights.use_anchors(chain);
  std::uint32_t item = 0, step = 0;
  const auto align_up_to = [&](std::uint32_t past_item, std::uint32_t past_step) {
    if (past_item - item <= max_segment_items)
      alignment.log_likelihood +=
          Segment(weights, item, past_item, step, past_step).run(alignment.posteriors, recording, counts);
    item = past_item;
    step = past_step;
  };
  // Segments are cut at anchors.
  for (const Anchor& anchor : chain)
    if (anchor.item >= item && anchor.step >= step &&
        std::size_t{anchor.item - item} * (anchor.step - step) > cells_before_cut)
      align_up_to(anchor.item, anchor.step);
  align_up_to(static_cast<std::uint32_t>(items.size()), static_cast<std::uint32_t>(recording.steps.size()));
  return alignment;
}

}  // namespace

std::uint64_t hash_of_shape(const std::vector<std::int64_t>& shape) {
  std::uint64_t hash = 0x9e3779b97f4a7c15 + shape.size();
  for (const std::int64_t size : shape) {
    if (size < 0) return 0;
    hash = (hash ^ static_cast<std::uint64_t>(size)) * 0x100000001b3;
  }
  return hash == 0 ? 1 : hash;
}

// The second pass knows the steps of producers, which the first pass found.
Alignment align(const Recording& recording, const onnx::Model& model, const std::vector<NodeItem>& items,
                const EmissionTable& table, const AlignOptions& options) {
  PairWeights weights(recording, model, items, table, options);
  Alignment alignment = align_once(weights, recording, items, options.use_flow ? nullptr : options.counts);
  if (options.use_flow) {
    weights.use_flow(alignment);
    alignment = align_once(weights, recording, items, options.counts);
  }
  if (options.counts != nullptr)
    for (const capture::RecordedStep& step : recording.steps)
      options.counts->sums[recording.op_names[step.op_name]].steps += 1;
  return alignment;
}

}  // namespace thence::match
