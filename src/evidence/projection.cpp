// execution_trace and fx_graph: operations that were recorded while the model ran, or in its torch.export
// graph, aligned with the nodes by order, content of parameters and data flow. No name in the file is read.
#include <algorithm>

#include "evidence/source.h"
#include "match/flow.h"
#include "match/telling.h"

namespace thence::evidence {
namespace {

using capture::Recording;
using match::likely;
using match::Owner;
using match::same_call;
using match::Story;
using match::Telling;

constexpr float sure = 0.99f;

// Whether a node may stand far from the operation that it belongs to.
bool may_stray(const match::NodeItem& item, const Owner& owner) {
  return item.auxiliary || item.casts || !owner.usual;
}

// Whether it works on the model's inputs alone.
bool is_first(const match::NodeItem& item) { return item.made_of.empty() && item.parameters.empty(); }

// Sizes are computed in one place and used in another. Exporters merge equal ones, as they do with equal
// operations on the model's inputs. If all readers of such a node lie in another layer, its place in the file
// is no better evidence than its readers are. Returns such a reader for each item, or none.
std::vector<std::uint32_t> readers_of_strays(const Recording& recording, const modules::ModuleTree& tree,
                                             const std::vector<match::NodeItem>& items,
                                             const std::vector<Owner>& owners) {
  std::vector<std::uint32_t> reader_of(items.size(), onnx::none);
  std::vector<bool> near(items.size(), false), merged(items.size(), false);
  const auto module_of = [&](std::size_t item) { return recording.steps[owners[item].step].module; };
  const auto known = [&](std::size_t item) {
    return owners[item].chance >= likely && module_of(item) != modules::no_module;
  };
  const auto path = [&](std::size_t item) { return tree[module_of(item)].path; };
  // From the last to the first: a reader that may stray itself stands for its own reader.
  for (auto item = static_cast<std::uint32_t>(items.size()); item-- > 0;) {
    if (near[item] || !(merged[item] || may_stray(items[item], owners[item]))) reader_of[item] = onnx::none;
    const std::uint32_t reader = reader_of[item] == onnx::none ? item : reader_of[item];
    for (const std::uint32_t maker : items[item].made_of) {
      if (!may_stray(items[maker], owners[maker]) && !is_first(items[maker])) continue;
      if (!known(maker) || !known(reader)) continue;
      const bool another = reader_of[maker] != onnx::none && module_of(reader_of[maker]) != module_of(reader);
      merged[maker] = merged[maker] || another;
      reader_of[maker] = reader;
      near[maker] = near[maker] || !modules::cross_layer(path(maker), path(reader));
    }
  }
  return reader_of;
}

// What the second alignment assigns to the nodes of the preferred one: a step of its own, or none.
struct Second {
  std::vector<std::uint32_t> steps;  // by item of the preferred alignment
  std::vector<bool> agrees;          // the same call of the same module
};
Second second_opinion(const Story& believed, const std::vector<std::uint32_t>& steps, const Story& other,
                      std::size_t nodes) {
  if (other.recording == nullptr)
    return {std::vector(steps.size(), onnx::none), std::vector(steps.size(), true)};
  std::vector<std::uint32_t> by_node(nodes, onnx::none);
  const std::vector<Owner> owners = match::owners_of(other);
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

// Sizes and constants stand just before the operation that they are for. If the two alignments differ about
// such a node, and all its readers lie in the call that the second one names, the second one is right.
// Returns those nodes.
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

// A torch.export graph has numbers where the file may compute sizes: it does not show who asked for them.
bool lacks_shape_ops(const Recording& recording, const std::vector<match::NodeItem>& items) {
  return std::any_of(items.begin(), items.end(), [](const match::NodeItem& item) { return item.sized; }) &&
         std::none_of(recording.steps.begin(), recording.steps.end(), [](const capture::RecordedStep& step) {
           return step.kind == capture::RecordedStep::Kind::size;
         });
}

// For each item that computes a size: an item that uses it in the end, if all such are of other modules than
// the place where the size is computed; none for all others.
std::vector<std::uint32_t> users_elsewhere(const Story& story, const std::vector<std::uint32_t>& steps) {
  const auto module_of = [&](std::size_t item) {
    return steps[item] == onnx::none ? modules::no_module : story.recording->steps[steps[item]].module;
  };
  std::vector<std::uint32_t> users(steps.size(), onnx::none);
  std::vector<bool> at_home(steps.size(), false);
  for (auto i = static_cast<std::uint32_t>(steps.size()); i-- > 0;) {
    const std::uint32_t user = story.items[i].sized ? users[i] : i;
    if (user == onnx::none || module_of(user) == modules::no_module) continue;
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

// In a file in order there is one alignment, and it is certain or not.
Certainty certainty_in_order(bool no_doubt) { return no_doubt ? Certainty::full : Certainty::low; }

// In a reordered file, what counts is how many of its alignments agree.
Certainty certainty_by_votes(const Owner& owner, bool shape_or_constant, bool flows) {
  const bool all =
      owner.tellings == Telling::all_tellings && (owner.chance >= sure || (flows && !shape_or_constant));
  const bool most = owner.tellings + 1 >= Telling::all_tellings;
  return all ? Certainty::full : most ? Certainty::most : Certainty::low;
}

// Places each node: at the step that it follows from, at two rival steps, or nowhere, which leaves it to
// propagation.
class Projection {
 public:
  using Step = capture::RecordedStep;
  struct Placement {
    const Step* step = nullptr;
    const Step* rival = nullptr;
    Strength strength = {.statement = Statement::alignment, .has_rivals = true};
  };

  Projection(const Recording& recorded, const onnx::Model& model, const hierarchy::Hierarchy& hierarchy)
      : telling_(recorded, model, *hierarchy.recorded()),
        believed_(telling_.believed()),
        owners_(telling_.owners()) {
    for (const Owner& owner : owners_) steps_.push_back(owner.chance < likely ? onnx::none : owner.step);
    strays_ = readers_of_strays(*believed_.recording, hierarchy.tree(), believed_.items, owners_);
    flows_ = match::flow_agrees(*believed_.recording, believed_.items, steps_);
    second_ = second_opinion(believed_, steps_, telling_.other(), model.node_count());
    if (!telling_.in_order())
      for (std::size_t i = 0; i < owners_.size(); ++i)
        second_.agrees[i] = owners_[i].tellings == Telling::all_tellings;
    turned_ = overruled(believed_, steps_, telling_.other(), second_);
    lacks_shape_ops_ = lacks_shape_ops(recorded, believed_.items);
    users_ = lacks_shape_ops_ ? users_elsewhere(believed_, steps_) : std::vector(steps_.size(), onnx::none);
  }

  const std::vector<match::NodeItem>& items() const { return believed_.items; }

  Placement of(std::size_t i) const {
    if (steps_[i] == onnx::none) return {};
    const Step& own = step(steps_[i]);
    if (strays_[i] != onnx::none) return {&own, &step(owners_[strays_[i]].step)};
    const bool aside = items()[i].auxiliary, agrees = second_.agrees[i];
    const bool doubted =
        owners_[i].chance < sure && !agrees;  // the two alignments differ, and neither is certain
    if (aside && doubted && telling_.in_order() && second_.steps[i] != onnx::none)
      return {&own, &other_step(i)};
    if (is_left_to_readers(i)) return {};
    if (users_[i] != onnx::none) return {&own, &step(steps_[users_[i]])};
    return {turned_[i] ? &other_step(i) : &own, nullptr, strength(i)};
  }

 private:
  const Step& step(std::uint32_t number) const { return believed_.recording->steps[number]; }
  const Step& other_step(std::size_t i) const { return telling_.other().recording->steps[second_.steps[i]]; }

  Strength strength(std::size_t i) const {
    const Owner& owner = owners_[i];
    const bool aside = items()[i].auxiliary, in_order = telling_.in_order();
    // Relabelling is judged by itself, whatever the order and the role of the node.
    if (owner.chance >= sure && step(steps_[i]).relabelled)
      return {.statement = Statement::alignment, .is_relabelled = true};
    const bool no_doubt = owner.chance >= sure && second_.agrees[i] && (aside || flows_[i]);
    return {
        .statement = Statement::alignment,
        .certainty = in_order ? certainty_in_order(no_doubt) : certainty_by_votes(owner, aside, flows_[i]),
        .is_reordered = !in_order,
        .is_shape_or_constant = aside};
  }

  bool is_left_to_readers(std::size_t i) const {
    const bool aside = items()[i].auxiliary, agrees = second_.agrees[i];
    if (aside && !telling_.in_order() && believed_.alignment.anchors.empty()) return true;  // no order at all
    if (!lacks_shape_ops_) return false;
    if (items()[i].sized) return owners_[i].chance < sure || !agrees;
    return !aside && !agrees && !flows_[i];  // only its place in the file supports it
  }

  Telling telling_;
  const Story& believed_;
  const std::vector<Owner>& owners_;
  std::vector<std::uint32_t> steps_;   // by item, as all that follow: its step
  std::vector<std::uint32_t> strays_;  // a reader in another layer
  std::vector<std::uint32_t> users_;   // who uses a size elsewhere
  std::vector<bool> flows_, turned_;   // data flows along; the second alignment is right
  Second second_;
  bool lacks_shape_ops_ = false;  // the recording has no operations on sizes, the file has
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
