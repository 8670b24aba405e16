#include "match/telling.h"

#include <algorithm>
#include <array>

#include "match/items.h"

namespace thence::match {
namespace {

using capture::RecordedStep;
using capture::Recording;

Owner owner_of(const Recording& recording, const std::vector<Claim>& claims, bool auxiliary) {
  Owner best;
  for (const Claim& claim : claims) {
    if (!claim.usual && auxiliary) continue;
    float chance = 0;
    for (const Claim& other : claims)
      if (same_call(recording.steps[other.step], recording.steps[claim.step])) chance += other.chance;
    if (chance > best.chance) best = {claim.step, chance, claim.usual};
  }
  return best;
}

// By node, in terms of the recording as it was made.
std::vector<Owner> owners_by_node(const Story& story, std::size_t nodes) {
  std::vector<Owner> by_node(nodes);
  const std::vector<Owner> owners = owners_of(story);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    Owner& owner = by_node[story.items[i].node] = owners[i];
    if (owner.chance > 0) owner.step = story.order[owner.step];
  }
  return by_node;
}

// The one whom most name; of equally many the earlier one.
Owner elected(const Recording& recording, const std::array<Owner, Telling::all_tellings>& named) {
  Owner best = named.front();
  best.tellings = 0;
  for (const Owner& one : named) {
    if (one.chance < likely) continue;
    const auto votes = std::count_if(named.begin(), named.end(), [&](const Owner& other) {
      return other.chance >= likely && same_call(recording.steps[other.step], recording.steps[one.step]);
    });
    if (votes <= best.tellings) continue;
    best = one;
    best.tellings = static_cast<std::uint8_t>(votes);
  }
  return best;
}

}  // namespace

bool same_call(const RecordedStep& a, const RecordedStep& b) {
  return a.module == b.module && a.call == b.call;
}

std::vector<Owner> owners_of(const Story& story) {
  std::vector<Owner> owners;
  for (std::size_t i = 0; i < story.items.size(); ++i)
    owners.push_back(owner_of(*story.recording, story.alignment.claims[i], story.items[i].auxiliary));
  return owners;
}

Telling::Telling(const Recording& recording, const onnx::Model& model, const capture::Capture& capture) {
  in_file_.recording = &recording;
  in_file_.items =
      items_of(model, parameters_by_content(model, capture, recording), known_or_alike(recording));
  for (const Correspondence& each : Correspondence::shipped()) {
    Alignment found = align(recording, model, in_file_.items, each, {});
    if (habits_ != nullptr && found.likelihood <= in_file_.alignment.likelihood) continue;
    in_file_.alignment = std::move(found);
    habits_ = &each;
  }
  constexpr float nearly_all = 0.88f;
  const bool close = kept_close(model) >= nearly_all;
  if (habits_ != nullptr && !(close && in_file_.alignment.anchors.empty())) {
    needed_ = told(model, in_file_.alignment.anchors, When::needed, recorded_needed_);
    constexpr double clearly = 0.25;     // for each node
    constexpr float order_kept = 0.98f;  // of the anchors; below it, the file's order says nothing
    in_order_ = close && in_file_.alignment.order >= order_kept &&
                needed_.alignment.likelihood - in_file_.alignment.likelihood <
                    clearly * static_cast<double>(in_file_.items.size());
  }
  if (in_order_)
    owners_ = owners_of(in_file_);
  else
    tell_by_flow(model);
}

Story Telling::told(const onnx::Model& model, const std::vector<Anchor>& anchors, When when,
                    Recording& reordered) const {
  Told told = told_alike(*in_file_.recording, in_file_.items, anchors, when);
  reordered = std::move(told.recording);
  Story story{&reordered, std::move(told.items), {}, std::move(told.steps)};
  story.alignment = align(reordered, model, story.items, *habits_, {});
  return story;
}

void Telling::tell_by_flow(const onnx::Model& model) {
  possible_ = told(model, in_file_.alignment.anchors, When::possible, recorded_possible_);
  const std::size_t nodes = model.node_count();
  const std::vector<Owner> first_needed = owners_by_node(needed_, nodes),
                           first_possible = owners_by_node(possible_, nodes);
  const std::vector<Anchor> anchors = agreed_anchors();
  needed_ = told(model, anchors, When::needed, recorded_needed_);
  possible_ = told(model, anchors, When::possible, recorded_possible_);
  const std::vector<Owner> needed = owners_by_node(needed_, nodes),
                           possible = owners_by_node(possible_, nodes);
  std::vector<std::uint32_t> places(needed_.order.size());
  for (std::uint32_t place = 0; place < places.size(); ++place) places[needed_.order[place]] = place;
  for (const NodeItem& item : needed_.items) {
    const onnx::NodeId node = item.node;
    Owner owner = elected(*in_file_.recording,
                          {needed[node], first_needed[node], possible[node], first_possible[node]});
    if (owner.chance > 0) owner.step = places[owner.step];
    owners_.push_back(owner);
  }
}

// Data that both tellings are sure of, beside what parameters tell. Sizes and constants follow from it.
std::vector<Anchor> Telling::agreed_anchors() const {
  constexpr float surely = 0.9f;
  const auto step_of = [&](const Story& story, std::size_t item) {
    const std::vector<Claim>& claims = story.alignment.claims[item];
    const bool sure = !claims.empty() && claims.front().chance >= surely && claims.front().usual;
    return sure ? story.order[claims.front().step] : onnx::none;
  };
  std::vector<Anchor> anchors = in_file_.alignment.anchors;
  std::unordered_map<onnx::NodeId, std::uint32_t> by_node;
  for (std::size_t i = 0; i < possible_.items.size(); ++i)
    by_node.emplace(possible_.items[i].node, step_of(possible_, i));
  std::unordered_map<onnx::NodeId, std::uint32_t> agreed;
  for (std::size_t i = 0; i < needed_.items.size(); ++i) {
    const std::uint32_t step = step_of(needed_, i);
    if (step != onnx::none && !needed_.items[i].auxiliary && by_node.at(needed_.items[i].node) == step)
      agreed.emplace(needed_.items[i].node, step);
  }
  for (const Anchor& anchor : in_file_.alignment.anchors) agreed.erase(in_file_.items[anchor.item].node);
  for (std::uint32_t item = 0; item < in_file_.items.size(); ++item)
    if (const auto found = agreed.find(in_file_.items[item].node); found != agreed.end())
      anchors.push_back({item, found->second});
  return anchors;
}

}  // namespace thence::match
