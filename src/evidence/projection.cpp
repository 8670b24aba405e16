// execution_trace and fx_graph: what was seen while the model ran, or in its torch.export graph, projected
// onto the nodes by order, parameters' content and data flow. No name in the file is read.
#include <algorithm>

#include "evidence/source.h"
#include "match/flow.h"
#include "match/items.h"
#include "match/order.h"

namespace thence::evidence {
namespace {

using hierarchy::Recording;

constexpr float sure = 0.99f, likely = 0.7f;
constexpr float order_kept = 0.98f;  // of the anchors; below it, the file's order says nothing

match::Alignment best_alignment(const Recording& recording, const onnx::Model& model,
                                const std::vector<match::NodeItem>& items) {
  match::Alignment best;
  for (const match::Correspondence& correspondence : match::Correspondence::shipped()) {
    match::Alignment found = match::align(recording, model, items, correspondence, {});
    if (best.claims.empty() || found.likelihood > best.likelihood) best = std::move(found);
  }
  return best;
}

// The call whose steps have the largest chance together. Auxiliary nodes are all over the place: one that no
// step was seen to become belongs to its readers.
struct Owner {
  std::uint32_t step = 0;
  float chance = 0;
  bool usual = true;
};
Owner owner_of(const Recording& recording, const std::vector<match::Claim>& claims, bool auxiliary) {
  Owner best;
  for (const match::Claim& claim : claims) {
    const hierarchy::RecordedStep& step = recording.steps[claim.step];
    if (!claim.usual && auxiliary) continue;
    float chance = 0;
    for (const match::Claim& other : claims) {
      const hierarchy::RecordedStep& same = recording.steps[other.step];
      if (same.module == step.module && same.call == step.call) chance += other.chance;
    }
    if (chance > best.chance) best = {claim.step, chance, claim.usual};
  }
  return best;
}

// Sizes are asked for in one place and used in another, and exporters merge equal ones; and what no step was
// ever seen to become may be anybody's. Where all that reads such a node lies in another layer, its place in
// the file says no more than its readers do. Gives such a reader, by item.
std::vector<std::uint32_t> readers_of_strays(const Recording& recording, const hierarchy::ModuleTree& tree,
                                             const std::vector<match::NodeItem>& items,
                                             const std::vector<Owner>& owners) {
  std::vector<std::uint32_t> reader_of(items.size(), onnx::none);
  std::vector<bool> near(items.size(), false);
  const auto known = [&](std::size_t item) {
    return owners[item].chance >= likely && recording.steps[owners[item].step].module != hierarchy::no_module;
  };
  const auto path = [&](std::size_t item) { return tree[recording.steps[owners[item].step].module].path; };
  // From the last to the first: a reader that strays itself speaks for its own reader.
  for (auto item = static_cast<std::uint32_t>(items.size()); item-- > 0;) {
    if (near[item]) reader_of[item] = onnx::none;
    const std::uint32_t reader = reader_of[item] == onnx::none ? item : reader_of[item];
    for (const std::uint32_t maker : items[item].made_of) {
      const bool may_stray = items[maker].auxiliary || items[maker].casts || !owners[maker].usual;
      if (!may_stray || !known(maker) || !known(reader)) continue;
      reader_of[maker] = reader;
      near[maker] = near[maker] || !hierarchy::cross_layer(path(maker), path(reader));
    }
  }
  return reader_of;
}

// The nodes and how they align: in the order of the file or, where that is not the recording's, put back.
struct Aligned {
  std::vector<match::NodeItem> items;
  match::Alignment alignment;
  bool in_order = true;
};
Aligned aligned(const Recording& recording, const onnx::Model& model, const hierarchy::Capture& capture) {
  Aligned found;
  found.items = match::items_of(model, match::parameters_by_content(model, capture, recording),
                                match::known_or_alike(recording));
  found.alignment = best_alignment(recording, model, found.items);
  found.in_order = found.alignment.order >= order_kept;
  if (!found.in_order) {
    found.items = match::reordered(std::move(found.items), std::move(found.alignment.anchors));
    found.alignment = best_alignment(recording, model, found.items);
  }
  return found;
}

Strength strength_of(const Owner& owner, const hierarchy::RecordedStep& step, const match::NodeItem& item,
                     bool in_order, bool flow_agrees) {
  if (!in_order) return Strength::reordered;
  if (owner.chance >= sure && step.relabelled) return Strength::relabelled;
  const bool no_doubt = owner.chance >= sure && (item.auxiliary || flow_agrees);
  if (item.auxiliary) return no_doubt ? Strength::aligned_aside : Strength::aligned_aside_loosely;
  return no_doubt ? Strength::aligned : Strength::aligned_loosely;
}

}  // namespace

void collect_projection(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Source source,
                        Sink& sink) {
  const hierarchy::Capture* const capture = hierarchy.recorded();
  if (capture == nullptr) return;
  const std::optional<Recording>& recording =
      source == Source::execution_trace ? capture->trace : capture->fx;
  if (!recording) return;
  const auto [items, alignment, in_order] = aligned(*recording, model, *capture);
  std::vector<Owner> owners;
  std::vector<std::uint32_t> steps;
  for (std::size_t i = 0; i < items.size(); ++i) {
    owners.push_back(owner_of(*recording, alignment.claims[i], items[i].auxiliary));
    steps.push_back(owners[i].chance < likely ? onnx::none : owners[i].step);
  }
  const auto strays = readers_of_strays(*recording, hierarchy.tree(), items, owners);
  const auto agrees = match::flow_agrees(*recording, items, steps);
  std::vector<Evidence> found;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (steps[i] == onnx::none) continue;
    const auto push = [&, &item = items[i]](const hierarchy::RecordedStep& step, Strength strength) {
      if (step.module == hierarchy::no_module) return;
      found.push_back({.node = item.node,
                       .module = step.module,
                       .call = step.call,
                       .source = source,
                       .strength = strength,
                       .why = recording->words[step.word]});
    };
    const hierarchy::RecordedStep& step = recording->steps[steps[i]];
    if (strays[i] == onnx::none) {
      push(step, strength_of(owners[i], step, items[i], in_order, agrees[i]));
    } else {  // its own place and its reader's are rivals
      push(step, Strength::names_several);
      push(recording->steps[owners[strays[i]].step], Strength::names_several);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Evidence& a, const Evidence& b) { return a.node < b.node; });
  for (const Evidence& evidence : found) sink.push(evidence);
}

}  // namespace thence::evidence
