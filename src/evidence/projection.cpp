// execution_trace and fx_graph: what was seen while the model ran, or in its torch.export graph, projected
// onto the nodes by order, parameters' content and data flow. No name in the file is read.
#include <algorithm>
#include <memory>

#include "evidence/source.h"
#include "match/flow.h"
#include "match/items.h"
#include "match/order.h"

namespace thence::evidence {
namespace {

using hierarchy::Recording;

constexpr float sure = 0.99f, likely = 0.7f;

// A recording and the nodes, both in some order, and how they align in it.
struct Story {
  const Recording* recording = nullptr;
  std::vector<match::NodeItem> items;
  match::Alignment alignment;
};

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

// Whether a node may stand far from where it belongs.
bool may_stray(const match::NodeItem& item, const Owner& owner) {
  return item.auxiliary || item.casts || !owner.usual;
}

// Whether it works on the model's inputs alone.
bool is_first(const match::NodeItem& item) { return item.made_of.empty() && item.parameters.empty(); }

// Sizes are asked for in one place and used in another, and exporters merge equal ones, as they do with equal
// steps on the model's inputs; and what no step was ever seen to become may be anybody's. Where all that
// reads such a node lies in another layer, its place in the file says no more than its readers do. Gives such
// a reader, by item.
std::vector<std::uint32_t> readers_of_strays(const Recording& recording, const hierarchy::ModuleTree& tree,
                                             const std::vector<match::NodeItem>& items,
                                             const std::vector<Owner>& owners) {
  std::vector<std::uint32_t> reader_of(items.size(), onnx::none);
  std::vector<bool> near(items.size(), false), merged(items.size(), false);
  const auto module_of = [&](std::size_t item) { return recording.steps[owners[item].step].module; };
  const auto known = [&](std::size_t item) {
    return owners[item].chance >= likely && module_of(item) != hierarchy::no_module;
  };
  const auto path = [&](std::size_t item) { return tree[module_of(item)].path; };
  // From the last to the first: a reader that strays itself speaks for its own reader.
  for (auto item = static_cast<std::uint32_t>(items.size()); item-- > 0;) {
    if (near[item] || !(merged[item] || may_stray(items[item], owners[item]))) reader_of[item] = onnx::none;
    const std::uint32_t reader = reader_of[item] == onnx::none ? item : reader_of[item];
    for (const std::uint32_t maker : items[item].made_of) {
      if (!may_stray(items[maker], owners[maker]) && !is_first(items[maker])) continue;
      if (!known(maker) || !known(reader)) continue;
      const bool another = reader_of[maker] != onnx::none && module_of(reader_of[maker]) != module_of(reader);
      merged[maker] = merged[maker] || another;
      reader_of[maker] = reader;
      near[maker] = near[maker] || !hierarchy::cross_layer(path(maker), path(reader));
    }
  }
  return reader_of;
}

bool same_call(const hierarchy::RecordedStep& a, const hierarchy::RecordedStep& b) {
  return a.module == b.module && a.call == b.call;
}

std::vector<Owner> owners_of(const Story& story) {
  std::vector<Owner> owners;
  for (std::size_t i = 0; i < story.items.size(); ++i)
    owners.push_back(owner_of(*story.recording, story.alignment.claims[i], story.items[i].auxiliary));
  return owners;
}

// Two ways to tell it: in the order of the file, and in one that comes of anchors and data flow alone. The
// likelier one is believed, the other one is asked whether it agrees.
class Telling {
 public:
  Telling(const Recording& recording, const onnx::Model& model, const hierarchy::Capture& capture) {
    in_file_.recording = &recording;
    in_file_.items = match::items_of(model, match::parameters_by_content(model, capture, recording),
                                     match::known_or_alike(recording));
    const match::Correspondence* best = nullptr;
    for (const match::Correspondence& each : match::Correspondence::shipped()) {
      match::Alignment found = match::align(recording, model, in_file_.items, each, {});
      if (best != nullptr && found.likelihood <= in_file_.alignment.likelihood) continue;
      in_file_.alignment = std::move(found);
      best = &each;
    }
    if (best == nullptr) return;
    constexpr float nearly_all = 0.88f;
    const bool close = match::kept_close(model) >= nearly_all;
    if (close && in_file_.alignment.anchors.empty()) return;
    match::Told told = match::told_alike(recording, in_file_.items, in_file_.alignment.anchors);
    reordered_ = std::move(told.recording);
    by_flow_.recording = &reordered_;
    by_flow_.items = std::move(told.items);
    by_flow_.alignment = match::align(reordered_, model, by_flow_.items, *best, {});
    constexpr double clearly = 0.25;     // for each node
    constexpr float order_kept = 0.98f;  // of the anchors; below it, the file's order says nothing
    in_order_ = close && in_file_.alignment.order >= order_kept &&
                by_flow_.alignment.likelihood - in_file_.alignment.likelihood <
                    clearly * static_cast<double>(in_file_.items.size());
  }

  bool in_order() const { return in_order_; }
  const Story& believed() const { return in_order_ ? in_file_ : by_flow_; }
  const Story& other() const { return in_order_ ? by_flow_ : in_file_; }

 private:
  Story in_file_, by_flow_;
  Recording reordered_;
  bool in_order_ = true;
};

// What the other telling says of the believed one's nodes: a step of its own, or none.
struct Second {
  std::vector<std::uint32_t> steps;  // by item of the believed telling
  std::vector<bool> agrees;          // the same call of the same module
};
Second second_opinion(const Story& believed, const std::vector<std::uint32_t>& steps, const Story& other,
                      std::size_t nodes) {
  if (other.recording == nullptr)
    return {std::vector(steps.size(), onnx::none), std::vector(steps.size(), true)};
  std::vector<std::uint32_t> by_node(nodes, onnx::none);
  const std::vector<Owner> owners = owners_of(other);
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (owners[i].chance >= likely) by_node[other.items[i].node] = owners[i].step;
  Second second;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::uint32_t step = by_node[believed.items[i].node];
    second.steps.push_back(step);
    second.agrees.push_back(step != onnx::none && steps[i] != onnx::none &&
                            same_call(other.recording->steps[step], believed.recording->steps[steps[i]]));
  }
  return second;
}

// Sizes and constants come just before what they are for: where the two tellings differ about such a node,
// and all that reads it is where the other one says, that is where it belongs. Gives those nodes.
std::vector<bool> overruled(const Story& believed, const std::vector<std::uint32_t>& steps,
                            const Story& other, const Second& second) {
  const std::size_t count = steps.size();
  std::vector<bool> overruled(count, false), with_first(count, false), with_second(count, false);
  for (std::size_t reader = count; reader-- > 0;) {
    const auto step_of = [&](std::size_t item) {
      return overruled[item] ? other.recording->steps[second.steps[item]]
                             : believed.recording->steps[steps[item]];
    };
    const bool may = believed.items[reader].auxiliary && !second.agrees[reader] &&
                     steps[reader] != onnx::none && second.steps[reader] != onnx::none;
    overruled[reader] = may && with_second[reader] && !with_first[reader];
    if (steps[reader] == onnx::none) continue;
    for (const std::uint32_t maker : believed.items[reader].made_of) {
      if (steps[maker] == onnx::none || second.steps[maker] == onnx::none) continue;
      const bool same = same_call(step_of(reader), other.recording->steps[second.steps[maker]]);
      (same ? with_second : with_first)[maker] = true;
    }
  }
  return overruled;
}

// A torch.export graph has numbers where the file may compute sizes: it cannot tell who asked for them.
bool is_deaf_to_sizes(const Recording& recording, const std::vector<match::NodeItem>& items) {
  return std::any_of(items.begin(), items.end(), [](const match::NodeItem& item) { return item.sized; }) &&
         std::none_of(recording.steps.begin(), recording.steps.end(),
                      [](const hierarchy::RecordedStep& step) {
                        return step.kind == hierarchy::RecordedStep::Kind::size;
                      });
}

// By item that computes a size: one that uses it in the end, if that is of another module than where the size
// stands; none for all others.
std::vector<std::uint32_t> users_elsewhere(const Story& story, const std::vector<std::uint32_t>& steps) {
  const auto module_of = [&](std::size_t item) {
    return steps[item] == onnx::none ? hierarchy::no_module : story.recording->steps[steps[item]].module;
  };
  std::vector<std::uint32_t> users(steps.size(), onnx::none);
  std::vector<bool> at_home(steps.size(), false);
  for (auto i = static_cast<std::uint32_t>(steps.size()); i-- > 0;) {
    const std::uint32_t user = story.items[i].sized ? users[i] : i;
    if (user == onnx::none || module_of(user) == hierarchy::no_module) continue;
    for (const std::uint32_t maker : story.items[i].made_of) {
      if (!story.items[maker].sized) continue;
      users[maker] = user;
      at_home[maker] = at_home[maker] || module_of(maker) == module_of(user);
    }
  }
  for (std::size_t i = 0; i < users.size(); ++i)
    if (at_home[i]) users[i] = onnx::none;
  return users;
}

Strength strength_of(const Owner& owner, const hierarchy::RecordedStep& step, bool aside, bool in_order,
                     bool agreed) {
  if (owner.chance >= sure && step.relabelled) return Strength::relabelled;
  const bool no_doubt = owner.chance >= sure && agreed;
  if (in_order && aside) return no_doubt ? Strength::aligned_aside : Strength::aligned_aside_loosely;
  if (in_order) return no_doubt ? Strength::aligned : Strength::aligned_loosely;
  if (aside) return no_doubt ? Strength::reordered_aside : Strength::reordered_aside_loosely;
  return no_doubt ? Strength::reordered : Strength::reordered_loosely;
}

// What is pushed for each node: the step that it follows from, two that are rivals, or nothing, which leaves
// it to its readers.
class Projection {
 public:
  using Step = hierarchy::RecordedStep;
  struct Told {
    const Step* step = nullptr;
    const Step* rival = nullptr;
    Strength strength = Strength::names_several;
  };

  Projection(const Recording& recorded, const onnx::Model& model, const hierarchy::Hierarchy& hierarchy)
      : telling_(recorded, model, *hierarchy.recorded()),
        believed_(telling_.believed()),
        owners_(owners_of(believed_)) {
    for (const Owner& owner : owners_) steps_.push_back(owner.chance < likely ? onnx::none : owner.step);
    strays_ = readers_of_strays(*believed_.recording, hierarchy.tree(), believed_.items, owners_);
    flows_ = match::flow_agrees(*believed_.recording, believed_.items, steps_);
    second_ = second_opinion(believed_, steps_, telling_.other(), model.node_count());
    turned_ = overruled(believed_, steps_, telling_.other(), second_);
    deaf_ = is_deaf_to_sizes(recorded, believed_.items);
    users_ = deaf_ ? users_elsewhere(believed_, steps_) : std::vector(steps_.size(), onnx::none);
  }

  const std::vector<match::NodeItem>& items() const { return believed_.items; }

  Told of(std::size_t i) const {
    if (steps_[i] == onnx::none) return {};
    const Step& own = step(steps_[i]);
    if (strays_[i] != onnx::none) return {&own, &step(owners_[strays_[i]].step)};
    const bool aside = items()[i].auxiliary, agrees = second_.agrees[i];
    const bool doubted = owners_[i].chance < sure && !agrees;  // two tellings, and neither is sure
    if (aside && doubted && telling_.in_order() && second_.steps[i] != onnx::none)
      return {&own, &other_step(i)};
    if (is_left_to_readers(i)) return {};
    if (users_[i] != onnx::none) return {&own, &step(steps_[users_[i]])};
    const bool agreed = agrees && (aside || flows_[i]);
    return {turned_[i] ? &other_step(i) : &own, nullptr,
            strength_of(owners_[i], own, aside, telling_.in_order(), agreed)};
  }

 private:
  const Step& step(std::uint32_t number) const { return believed_.recording->steps[number]; }
  const Step& other_step(std::size_t i) const { return telling_.other().recording->steps[second_.steps[i]]; }

  bool is_left_to_readers(std::size_t i) const {
    const bool aside = items()[i].auxiliary, agrees = second_.agrees[i];
    if (aside && !telling_.in_order() && believed_.alignment.anchors.empty()) return true;  // no order at all
    if (!deaf_) return false;
    if (items()[i].sized) return owners_[i].chance < sure || !agrees;
    return !aside && !agrees && !flows_[i];  // nothing speaks for it but its place
  }

  Telling telling_;
  const Story& believed_;
  std::vector<Owner> owners_;
  std::vector<std::uint32_t> steps_;   // by item, as all that follow: its step
  std::vector<std::uint32_t> strays_;  // a reader in another layer
  std::vector<std::uint32_t> users_;   // who uses a size elsewhere
  std::vector<bool> flows_, turned_;   // data flows along; the other telling is right
  Second second_;
  bool deaf_ = false;  // the recording does not tell of sizes
};

}  // namespace

void collect_projection(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Source source,
                        Sink& sink) {
  const hierarchy::Capture* const capture = hierarchy.recorded();
  if (capture == nullptr) return;
  const std::optional<Recording>& recorded = source == Source::execution_trace ? capture->trace : capture->fx;
  if (!recorded) return;
  const Projection projection(*recorded, model, hierarchy);
  std::vector<Evidence> found;
  for (std::size_t i = 0; i < projection.items().size(); ++i) {
    const Projection::Told told = projection.of(i);
    for (const hierarchy::RecordedStep* step : {told.step, told.rival})
      if (step != nullptr && step->module != hierarchy::no_module)
        found.push_back({.node = projection.items()[i].node,
                         .module = step->module,
                         .call = step->call,
                         .source = source,
                         .strength = told.strength,
                         .why = recorded->words[step->word]});  // which outlive the tellings
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Evidence& a, const Evidence& b) { return a.node < b.node; });
  for (const Evidence& evidence : found) sink.push(evidence);
}

}  // namespace thence::evidence
