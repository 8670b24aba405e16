#include "transfer/origins.h"

#include <algorithm>
#include <unordered_map>

#include "base/text_hash.h"
#include "transfer/mix.h"
#include "transfer/view_names.h"
#include "transfer/vocabulary.h"

namespace thence::transfer {
namespace {

constexpr std::size_t most_listed = 64;
constexpr std::size_t most_views = 64;     // in a row
constexpr std::size_t most_members = 256;  // equal expressions that are told apart by their readers

class Finder {
 public:
  Finder(const Net& ancestor, const Net& descendant, const Pairing& pairing)
      : a_(ancestor), d_(descendant), pairing_(pairing), origins_(descendant.model().node_count()) {}

  std::vector<Origin> run() {
    choose_members();
    for (const Step& step : d_.steps()) computed(step);
    for (const auto& [root, steps] : pairing_.splits) taken_apart(root, steps);
    name_views();
    find_steps();
    align_views();
    list_views();
    for (onnx::NodeId id = 0; id < origins_.size(); ++id) carried(id);
    for (auto id = static_cast<onnx::NodeId>(origins_.size()); id-- > 0;) served(id);
    return std::move(origins_);
  }

 private:
  static void add(std::vector<onnx::NodeId>& nodes, onnx::NodeId node) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }

  // Equal expressions of the ancestor: which of them a value is, its readers say; last ones first.
  void choose_members() {
    std::unordered_map<std::uint64_t, std::vector<Root>> members;
    for (const Step& step : a_.steps()) {
      auto& alike = members[pairing_.classes[step.output]];
      if (alike.size() < most_members) alike.push_back(step.output);
    }
    chosen_ = pairing_.partners;
    open_.assign(chosen_.size(), false);
    for (auto id = static_cast<StepId>(d_.steps().size()); id-- > 0;) {
      const Root root = d_.steps()[id].output;
      if (chosen_[root] == none) continue;
      const std::uint64_t alike = pairing_.classes[chosen_[root]];
      const auto found = members.find(alike);
      if (found == members.end() || found->second.size() < 2) continue;
      Root told = none;
      bool differs = false;
      for (const StepId reader : d_.readers(root)) {
        const Root made = chosen_[d_.steps()[reader].output];
        if (made == none || open_[d_.steps()[reader].output] || a_.maker(made) == none) continue;
        for (const Root read : a_.inputs(a_.steps()[a_.maker(made)])) {
          if (pairing_.classes[read] != alike) continue;
          differs |= told != none && told != read;
          told = read;
        }
      }
      open_[root] = told == none || differs;
      if (told != none) chosen_[root] = told;
      if (open_[root]) rivals_[root] = &found->second;
    }
    members_ = std::move(members);
  }

  void computed(const Step& step) {
    const Root partner = chosen_[step.output];
    if (partner == none || a_.maker(partner) == none) return;
    Origin& origin = origins_[step.node];
    const onnx::Node node = d_.model().node(step.node);
    const bool first_output = !node.outputs().empty() && node.outputs()[0] == step.output;
    std::vector<onnx::NodeId> nodes{a_.steps()[a_.maker(partner)].node};
    if (open_[step.output])
      for (const Root rival : *rivals_[step.output]) add(nodes, a_.steps()[a_.maker(rival)].node);
    const auto& region = pairing_.regions[pairing_.region_of[step.output]];
    // A quantiser cuts off what an activation would: the node itself is the operation before it.
    const std::uint32_t last = a_.steps()[a_.maker(partner)].op;
    for (const StepId inside : region)
      if (step.op != last && a_.steps()[inside].op == step.op)
        nodes.insert(nodes.begin(), a_.steps()[inside].node);
    for (const StepId inside : region) add(nodes, a_.steps()[inside].node);
    if (first_output) {
      origin.kind = open_[step.output] ? Kind::ambiguous : Kind::computes;
      origin.proof = pairing_.proofs[step.output];
      for (const onnx::NodeId other : origin.nodes) add(nodes, other);
      origin.nodes = std::move(nodes);
    } else {
      for (const onnx::NodeId other : nodes) add(origin.nodes, other);
    }
  }

  // Names that survived tell which view is which; and where a view that did nothing is gone, its name may be
  // on what it was a view of.
  void name_views() {
    const ViewNames names(a_);
    const onnx::Model& ours = d_.model();
    for (onnx::NodeId id = 0; id < origins_.size(); ++id) {
      const onnx::Node node = ours.node(id);
      if (node.outputs().empty() || node.outputs()[0] == none) continue;
      const onnx::NodeId view = names.find(ours.value_name(node.outputs()[0]));
      const Root root = d_.root(node.outputs()[0]);
      if (view == none || chosen_[root] == none || d_.constant(root) != nullptr) continue;
      const onnx::Node theirs = a_.model().node(view);
      if (pairing_.classes[a_.root(theirs.outputs()[0])] != pairing_.classes[chosen_[root]]) continue;
      Origin& origin = origins_[id];
      if (d_.is_view(id) && view_name(theirs.op_type()) == view_name(node.op_type())) {
        origin = {Kind::view, Proof::name, {view}};
      } else if (!d_.is_view(id) && origin.kind == Kind::computes && origin.nodes.front() != view) {
        std::erase(origin.nodes, view);
        origin.nodes.insert(origin.nodes.begin(), view);
      }
    }
  }

  // Every part of an operation that was taken apart is that operation's, and so are the views among them.
  void taken_apart(Root root, const std::vector<StepId>& steps) {
    if (chosen_[root] == none || open_[root]) return;
    const Origin whole{Kind::computes, Proof::region, {a_.steps()[a_.maker(chosen_[root])].node}};
    for (const StepId id : steps) {
      const onnx::NodeId node = d_.steps()[id].node;
      if (origins_[node].kind == Kind::unknown) {
        origins_[node] = whole;
      } else if (origins_[node].proof == Proof::region &&
                 origins_[node].nodes.front() != whole.nodes.front()) {
        origins_[node].kind = Kind::ambiguous;  // several that were merged: it is each of them
        add(origins_[node].nodes, whole.nodes.front());
      }
      for (const onnx::ValueId value : d_.model().node(node).inputs()) {
        if (value == none) continue;
        for (const onnx::NodeId view : views_above(d_, value))
          if (origins_[view].kind == Kind::unknown && !d_.is_constant(view) && !quantises(view))
            origins_[view] = whole;
      }
    }
  }

  bool quantises(onnx::NodeId node) const {
    const std::string_view op = d_.model().node(node).op_type();
    return op == "QuantizeLinear" || op == "DequantizeLinear" || op == "DynamicQuantizeLinear";
  }

  // Views between a value and its root, the nearest to the value first.
  std::vector<onnx::NodeId> views_above(const Net& net, onnx::ValueId value) const {
    std::vector<onnx::NodeId> views;
    while (views.size() < most_views) {
      const onnx::Producer producer = net.model().producer(value);
      if (producer.kind != onnx::Producer::Kind::node || !net.is_view(producer.index)) break;
      views.push_back(producer.index);
      const onnx::Node node = net.model().node(producer.index);
      onnx::ValueId next = none;
      for (const onnx::ValueId input : node.inputs())
        if (input != none && net.root(input) == net.root(value)) next = input;
      if (next == none || next == value) break;
      value = next;
    }
    return views;
  }

  // A node's primary, where it computes the same operation as the one it comes from.
  void find_steps() {
    for (onnx::NodeId id = 0; id < origins_.size(); ++id)
      if (origins_[id].kind == Kind::computes) pairs_.push_back({id, origins_[id].nodes});
  }

  void align_views() {
    for (const auto& [ours, theirs] : pairs_) {
      std::vector<onnx::ValueId> values;
      for (const onnx::NodeId node : theirs)
        for (const onnx::ValueId value : a_.model().node(node).inputs())
          if (value != none) values.push_back(value);
      for (const onnx::ValueId value : d_.model().node(ours).inputs())
        if (value != none) align(value, values);
    }
    const auto& outputs = a_.model().graphs()[0].outputs;
    for (const onnx::ValueId value : d_.model().graphs()[0].outputs)
      if (value != none) align(value, outputs);
  }

  // The views above a value, and those above the ancestor's value that is read in its place.
  void align(onnx::ValueId value, const std::vector<onnx::ValueId>& theirs) {
    const Root partner = chosen_[d_.root(value)];
    if (partner == none) return;
    const std::vector<onnx::NodeId> ours = views_above(d_, value);
    if (ours.empty()) return;
    for (const onnx::ValueId other : theirs) {
      if (other == none || pairing_.classes[a_.root(other)] != pairing_.classes[partner]) continue;
      const std::vector<onnx::NodeId> above = views_above(a_, other);
      std::size_t at = 0;
      for (const onnx::NodeId view : ours) {
        const std::string_view op = view_name(d_.model().node(view).op_type());
        std::size_t next = at;
        while (next < above.size() && view_name(a_.model().node(above[next]).op_type()) != op) ++next;
        if (next == above.size()) continue;
        at = next + 1;
        if (origins_[view].kind != Kind::unknown) continue;
        origins_[view] = {Kind::view, pairing_.proofs[d_.root(value)], {above[next]}};
      }
    }
  }

  static std::uint64_t op_hash(std::string_view op) { return base::text_hash(view_name(op), 0); }

  // The ancestor's views that no node was found for, by operator and by what they are views of.
  void list_views() {
    std::vector<bool> found(a_.model().node_count(), false);
    for (const Origin& origin : origins_)
      if (origin.kind == Kind::view) found[origin.nodes.front()] = true;
    for (onnx::NodeId id = 0; id < a_.model().node_count(); ++id) {
      if (!a_.is_view(id) || found[id]) continue;
      const onnx::Node node = a_.model().node(id);
      auto& alike = views_[mixed(pairing_.classes[a_.root(node.outputs()[0])], op_hash(node.op_type()))];
      if (alike.size() < most_members) alike.push_back(id);
    }
  }

  // What a rewrite put in belongs to the value it carries.
  void carried(onnx::NodeId id) {
    if (origins_[id].kind != Kind::unknown || !d_.is_view(id) || d_.is_constant(id)) return;
    const onnx::Node node = d_.model().node(id);
    if (node.outputs().empty() || node.outputs()[0] == none) return;
    const Root root = d_.root(node.outputs()[0]);
    const Root partner = chosen_[root];
    if (partner == none || a_.maker(partner) == none || open_[root]) return;
    // The ancestor has such views of this value, too: it may be any of them.
    const auto same = views_.find(mixed(pairing_.classes[partner], op_hash(node.op_type())));
    if (same != views_.end()) {
      origins_[id] = {Kind::ambiguous, pairing_.proofs[root], same->second};
      return;
    }
    // What it carries may have another form than its root: then it is that view's.
    Origin carries{Kind::carries, pairing_.proofs[root], {a_.steps()[a_.maker(partner)].node}};
    for (const onnx::NodeId view : views_above(d_, node.outputs()[0])) {
      if (view == id) continue;
      const Origin& above = origins_[view];
      if (above.kind == Kind::unknown || above.kind == Kind::ambiguous) return;
      carries.nodes = {above.nodes.front()};
      break;
    }
    origins_[id] = std::move(carries);
  }

  // Constants and what is computed of them, and what nothing else tells about: their readers'.
  void served(onnx::NodeId id) {
    Origin& origin = origins_[id];
    const auto outputs = d_.model().node(id).outputs();
    const bool scale = !outputs.empty() && outputs[0] != none && d_.is_scale(outputs[0]);
    if (origin.kind != Kind::unknown || !(d_.is_aside(id) || scale)) return;
    bool all_known = true, any = false;
    std::vector<onnx::NodeId> nodes;
    for (const onnx::ValueId value : d_.model().node(id).outputs()) {
      if (value == none) continue;
      for (const onnx::NodeId reader : readers_of(value)) {
        any = true;
        all_known &= origins_[reader].kind != Kind::unknown;
        const bool open = origins_[reader].kind == Kind::ambiguous;
        for (const onnx::NodeId node : origins_[reader].nodes) {
          if (nodes.size() < most_listed) add(nodes, node);
          if (!open) break;
        }
      }
    }
    if (!any || !all_known) return;
    origin = {Kind::serves, Proof::not_proven, std::move(nodes)};
  }

  const std::vector<onnx::NodeId>& readers_of(onnx::ValueId value) {
    if (readers_.empty()) {
      readers_.resize(d_.model().value_count());
      for (onnx::NodeId id = 0; id < d_.model().node_count(); ++id)
        for (const onnx::ValueId input : d_.model().node(id).inputs())
          if (input != none) readers_[input].push_back(id);
    }
    return readers_[value];
  }

  const Net &a_, &d_;
  const Pairing& pairing_;
  std::vector<Origin> origins_;
  std::vector<Root> chosen_;  // by root of the descendant
  std::vector<bool> open_;    // several equal expressions, and nothing tells which
  std::unordered_map<std::uint64_t, std::vector<Root>> members_;
  std::unordered_map<Root, const std::vector<Root>*> rivals_;
  std::vector<std::pair<onnx::NodeId, std::vector<onnx::NodeId>>> pairs_;
  std::vector<std::vector<onnx::NodeId>> readers_;
  std::unordered_map<std::uint64_t, std::vector<onnx::NodeId>> views_;
};

}  // namespace

std::vector<Origin> origins_of(const Net& ancestor, const Net& descendant, const Pairing& pairing) {
  return Finder(ancestor, descendant, pairing).run();
}

}  // namespace thence::transfer
