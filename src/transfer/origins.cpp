#include "transfer/origins.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/text_hash.h"
#include "dataflow/operator_traits.h"
#include "dataflow/primitive_ops.h"
#include "transfer/folded.h"
#include "transfer/leftovers.h"
#include "transfer/members.h"
#include "transfer/mix.h"
#include "transfer/sizes_of_parts.h"
#include "transfer/value_names.h"
#include "transfer/views.h"

namespace thence::transfer {
namespace {

using dataflow::has_trait;
using dataflow::Trait;

constexpr std::size_t most_alike = 64;  // views of one value by one operator

class Finder {
 public:
  Finder(const Net& ancestor, const Net& descendant, const Pairing& pairing)
      : a_(ancestor),
        d_(descendant),
        pairing_(pairing),
        members_(ancestor, descendant, pairing),
        origins_(descendant.model().node_count()),
        names_(pairing.names) {}

  std::vector<Origin> run() {
    for (const Step& step : d_.steps()) computed(step);
    for (const auto& [root, steps] : pairing_.splits) taken_apart(root, steps);
    name_views();
    find_steps();
    align_views();
    list_views();
    find_folded_factors();
    for (const onnx::NodeId id : d_.order()) carried(id);
    find_sizes_of_parts();
    tell_leftovers(a_, d_, names_, origins_);
    return std::move(origins_);
  }

 private:
  static void add(std::vector<onnx::NodeId>& nodes, onnx::NodeId node) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }

  Origin one_of_candidates(Root root) const {
    Origin origin;
    const auto found = pairing_.candidates.find(root);
    if (found == pairing_.candidates.end()) return origin;
    origin = {Kind::ambiguous, Proof::neighbours, {}};
    for (const StepId each : found->second) add(origin.nodes, a_.steps()[each].node);
    return origin;
  }

  void computed(const Step& step) {
    const Root partner = members_.chosen(step.output);
    Origin& origin = origins_[step.node];
    if (partner == none && origin.kind == Kind::unknown) origin = one_of_candidates(step.output);
    if (partner == none || a_.maker(partner) == none) return;
    const onnx::Node node = d_.model().node(step.node);
    const bool first_output = !node.outputs().empty() && node.outputs()[0] == step.output;
    std::vector<onnx::NodeId> nodes{a_.steps()[a_.maker(partner)].node};
    for (const Root each : members_.others(step.output))
      if (a_.maker(each) != none) add(nodes, a_.steps()[a_.maker(each)].node);
    const auto& region = pairing_.regions[pairing_.region_of[step.output]];
    // Where quantising the result does what an activation did, the node itself is the operation before it.
    if (has_trait(a_.model().node(nodes.front()), Trait::clamps) && !has_trait(node, Trait::may_clamp))
      for (const StepId inside : region)
        if (a_.steps()[inside].op == step.op) nodes.insert(nodes.begin(), a_.steps()[inside].node);
    for (const StepId inside : region) add(nodes, a_.steps()[inside].node);
    if (first_output) {
      origin.kind = members_.is_open(step.output) ? Kind::ambiguous : Kind::computes;
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
    const onnx::Model& ours = d_.model();
    for (onnx::NodeId id = 0; id < origins_.size(); ++id) {
      const onnx::Node node = ours.node(id);
      if (node.outputs().empty() || node.outputs()[0] == none) continue;
      const onnx::NodeId view = names_.writer(node.outputs()[0]);
      const Root root = d_.root(node.outputs()[0]);
      // A view put in after an operation may have got the name of its result.
      if (const Root made = members_.chosen(root); d_.is_view(id) && !d_.is_constant(id) && made != none &&
                                                   a_.maker(made) != none &&
                                                   called_alike(d_, node.outputs()[0], a_, made))
        origins_[id] = {Kind::carries, Proof::name, {a_.steps()[a_.maker(made)].node}};
      if (view == none || members_.chosen(root) == none || d_.constant(root) != nullptr) continue;
      const bool is_one = a_.is_view(view) && !a_.is_constant(view) && gives(view, members_.chosen(root));
      if (is_one && d_.is_view(id))
        origins_[id] = {Kind::view, Proof::name, {view}};
      else if (is_one || did_nothing(view, members_.chosen(root)))
        comes_first(id, view);
    }
  }

  bool gives(onnx::NodeId theirs, Root root) const {
    return pairing_.classes[a_.root(a_.model().node(theirs).outputs()[0])] == pairing_.classes[root];
  }

  // An operation that may give what it reads, and has no partner of its own.
  bool did_nothing(onnx::NodeId theirs, Root root) const {
    const onnx::Node node = a_.model().node(theirs);
    return has_trait(node, Trait::may_be_noop) && !a_.is_view(theirs) && !node.inputs().empty() &&
           node.inputs()[0] != none &&
           pairing_.classes[a_.root(node.inputs()[0])] == pairing_.classes[root] &&
           !pairing_.taken[a_.root(node.outputs()[0])];
  }

  void comes_first(onnx::NodeId id, onnx::NodeId theirs) {
    std::vector<onnx::NodeId>& nodes = origins_[id].nodes;
    if (origins_[id].kind != Kind::computes || nodes.front() == theirs) return;
    std::erase(nodes, theirs);
    nodes.insert(nodes.begin(), theirs);
  }

  // Every part of an operation that was taken apart is that operation's, and so are the views among them.
  void taken_apart(Root root, const std::vector<StepId>& steps) {
    if (members_.chosen(root) == none || members_.is_open(root)) return;
    const Origin whole{Kind::computes, Proof::region, {a_.steps()[a_.maker(members_.chosen(root))].node}};
    for (const StepId id : steps) {
      const onnx::NodeId node = d_.steps()[id].node;
      if (origins_[node].kind == Kind::unknown) {
        origins_[node] = whole;
      } else if (origins_[node].proof == Proof::region &&
                 origins_[node].nodes.front() != whole.nodes.front()) {
        origins_[node].kind = Kind::ambiguous;  // several that were merged: it is each of them
        add(origins_[node].nodes, whole.nodes.front());
      }
      for (const onnx::ValueId value : d_.model().node(node).inputs())
        if (value != none) views_of_part(value, whole);
    }
  }

  void find_sizes_of_parts() {
    std::unordered_set<onnx::NodeId> wholes;
    for (const auto& [root, steps] : pairing_.splits)
      if (members_.chosen(root) != none && !members_.is_open(root))
        wholes.insert(a_.steps()[a_.maker(members_.chosen(root))].node);
    if (!wholes.empty()) sizes_of_parts(d_, wholes, origins_);
  }

  // The views above what a part reads: the ancestor's own, if it has such, and before them what belongs to
  // the part.
  void views_of_part(onnx::ValueId value, const Origin& whole) {
    const Root partner = members_.chosen(d_.root(value));
    const std::vector<onnx::NodeId> ours = views_above(d_, value);
    std::vector<onnx::NodeId> theirs;
    for (const onnx::ValueId read : a_.model().node(whole.nodes.front()).inputs())
      if (read != none && partner != none && pairing_.classes[a_.root(read)] == pairing_.classes[partner])
        theirs = views_above(a_, read, pairing_.left_out, partner).views;
    leave_out_idle(a_, theirs, count_reshaping(d_, ours));
    const Row row = in_a_row(d_, ours, a_, theirs);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const onnx::NodeId view = ours[i];
      if (takes_computed_shape(view)) break;  // what stands above it belongs to the operation before
      if (origins_[view].kind != Kind::unknown || d_.is_constant(view) || quantises(view)) continue;
      if (row.places[i] != Row::nowhere)
        origins_[view] = {Kind::view, Proof::region, {theirs[row.places[i]]}};
      else if (row.beside[i].first == 0)
        origins_[view] = whole;
    }
  }

  // What ends an operation that was taken apart gives its result the shape that it found.
  bool takes_computed_shape(onnx::NodeId view) const {
    const onnx::Node node = d_.model().node(view);
    return node.op_type() == "Reshape" && node.inputs().size() > 1 && node.inputs()[1] != none &&
           d_.constant(d_.root(node.inputs()[1])) == nullptr;
  }

  bool quantises(onnx::NodeId node) const { return has_trait(d_.model().node(node), Trait::quantiser); }

  // A node's primary, where it computes the same operation as the one it comes from.
  void find_steps() {
    for (onnx::NodeId id = 0; id < origins_.size(); ++id)
      if (origins_[id].kind == Kind::computes) pairs_.push_back({id, origins_[id].nodes});
  }

  void align_views() {
    for (const auto& [ours, theirs] : pairs_) {
      if (d_.model().node(ours).inputs().size() > Net::most_inputs) continue;
      std::vector<onnx::ValueId> values;
      for (const onnx::NodeId node : theirs)
        for (const onnx::ValueId value : a_.model().node(node).inputs())
          if (value != none && values.size() < Net::most_inputs) values.push_back(value);
      for (const onnx::ValueId value : d_.model().node(ours).inputs())
        if (value != none) align(value, values);
    }
    const auto& outputs = a_.model().graphs()[0].outputs;
    for (const onnx::ValueId value : d_.model().graphs()[0].outputs)
      if (value != none) align(value, outputs);
  }

  // The views above a value, and those above the ancestor's value that is read in its place.
  void align(onnx::ValueId value, const std::vector<onnx::ValueId>& theirs) {
    const Root partner = members_.chosen(d_.root(value));
    if (partner == none) return;
    const std::vector<onnx::NodeId> ours = views_above(d_, value);
    if (ours.empty()) return;
    for (const onnx::ValueId other : theirs) {
      if (other == none || pairing_.classes[a_.root(other)] != pairing_.classes[partner]) continue;
      auto [above, root] = views_above(a_, other, pairing_.left_out, partner);
      leave_out_idle(a_, above, count_reshaping(d_, ours));
      const Row row = in_a_row(d_, ours, a_, above);
      for (std::size_t i = 0; i < ours.size(); ++i) {
        Origin& origin = origins_[ours[i]];
        // Several views that were merged: it is each of them.
        if (row.places[i] != Row::nowhere && origin.proof != Proof::name &&
            (origin.kind == Kind::view || origin.kind == Kind::ambiguous)) {
          add(origin.nodes, above[row.places[i]]);
          if (origin.nodes.size() > 1) origin.kind = Kind::ambiguous;
        }
        if (origin.kind != Kind::unknown || d_.is_constant(ours[i])) continue;
        const Proof proof = pairing_.proofs[d_.root(value)];
        if (row.places[i] != Row::nowhere)
          origins_[ours[i]] = {Kind::view, proof, {above[row.places[i]]}};
        else if (const auto [first, past] = row.beside[i]; first == past) {
          // Nothing of the ancestor stands here: it was put in, and carries what comes before it.
          if (const onnx::NodeId before =
                  past < above.size() ? above[past] : given_to(ours[i], maker_of(root));
              before != none)
            origins_[ours[i]] = {Kind::carries, proof, {before}};
        } else if (reshape_otherwise(d_, ours[i], a_, above[first]) && is_first_there(row, ours, i)) {
          origins_[ours[i]] = {Kind::view, proof, {above[first]}};  // instead of another operator
        }
      }
    }
  }

  // Of those that stand beside the same part of the ancestor's row, the one nearest to who reads the value.
  bool is_first_there(const Row& row, const std::vector<onnx::NodeId>& ours, std::size_t i) const {
    while (i-- > 0 && row.places[i] == Row::nowhere)
      if (has_trait(d_.model().node(ours[i]), Trait::reshapes)) return false;
    return true;
  }

  // Of a root of the descendant: the ancestor's node that gave it, as far as that was found.
  onnx::NodeId primary_of(Root ours) const {
    const StepId maker = d_.maker(ours);
    const Origin* const origin = maker == none ? nullptr : &origins_[d_.steps()[maker].node];
    const bool first = origin != nullptr && d_.model().node(d_.steps()[maker].node).outputs()[0] == ours;
    return first && origin->kind == Kind::computes ? origin->nodes.front() : maker_of(members_.chosen(ours));
  }

  // Where quantising does what an activation did, that is what comes after it; before it is what was made.
  onnx::NodeId given_to(onnx::NodeId view, onnx::NodeId theirs) const {
    if (theirs == none || !has_trait(a_.model().node(theirs), Trait::clamps)) return theirs;
    const onnx::ValueId value = d_.model().node(view).outputs()[0];
    const std::vector<onnx::NodeId> above = views_above(d_, value);
    const StepId maker = d_.maker(d_.root(value));
    const bool done =
        std::any_of(above.begin(), above.end(), [&](onnx::NodeId id) { return quantises(id); }) ||
        maker == none || has_trait(d_.model().node(d_.steps()[maker].node), Trait::may_clamp);
    return done ? theirs : primary_of(d_.root(value));
  }

  onnx::NodeId maker_of(Root root) const {  // none for what the graph is given
    return a_.maker(root) == none ? none : a_.steps()[a_.maker(root)].node;
  }

  static std::uint64_t op_hash(std::string_view op) {
    return base::text_hash(dataflow::canonical_view_op(op), 0);
  }

  // The ancestor's views that no node was found for, by operator and by what they are views of.
  void list_views() {
    std::vector<bool> found(a_.model().node_count(), false);
    for (const Origin& origin : origins_)
      if (origin.kind == Kind::view) found[origin.nodes.front()] = true;
    for (onnx::NodeId id = 0; id < a_.model().node_count(); ++id) {
      if (!a_.is_view(id) || found[id]) continue;
      const onnx::Node node = a_.model().node(id);
      auto& same = views_[mixed(pairing_.classes[a_.root(node.outputs()[0])], op_hash(node.op_type()))];
      if (same.size() < most_alike) same.push_back(id);
    }
  }

  // A number by which the ancestor multiplies a result is a view of it. Where it was folded into the weight,
  // the result comes out multiplied, and so is what that view gives; and what carries the result, carries it.
  void find_folded_factors() {
    std::unordered_map<Root, onnx::NodeId> plain;  // by result that is multiplied: who made it before
    const auto scales = folded_scales(a_, pairing_.regions);
    for (const auto& [id, theirs] : pairs_) {
      const double factor = d_.factor(id);
      const auto outputs = d_.model().node(id).outputs();
      if (outputs.empty() || outputs[0] == none) continue;
      if (const auto scale = scales.find(origins_[id].nodes.front()); scale != scales.end()) {
        plain.emplace(d_.root(outputs[0]), scale->first);
        comes_first(id, scale->second);
        continue;
      }
      if (factor == 1) continue;
      const Root root = d_.root(outputs[0]);
      if (members_.chosen(root) == none) continue;
      const auto multiplied = views_.find(mixed(pairing_.classes[members_.chosen(root)], op_hash("Mul")));
      if (multiplied == views_.end()) continue;
      const bool one = multiplied->second.size() == 1;
      const auto found =
          std::find_if(multiplied->second.begin(), multiplied->second.end(), [&](onnx::NodeId view) {
            const double number = a_.number_in(view);
            return is_near(number, factor) || (one && std::isnan(number));  // one that is computed
          });
      if (found == multiplied->second.end()) continue;
      plain.emplace(root, origins_[id].nodes.front());
      comes_first(id, *found);
    }
    for (onnx::NodeId id = 0; id < origins_.size() && !plain.empty(); ++id) {
      if (origins_[id].kind != Kind::carries) continue;
      const Root root = d_.root(d_.model().node(id).outputs()[0]);
      if (const auto before = plain.find(root);
          before != plain.end() && origins_[id].nodes.front() == before->second)
        origins_[id].nodes.front() = origins_[d_.steps()[d_.maker(root)].node].nodes.front();
    }
  }

  static bool is_near(double a, double b) { return std::abs(a - b) <= 1e-3 * std::abs(b); }

  // Of a value that may be several: each of their views that it may be, or the values themselves.
  void carried_by_candidate(onnx::NodeId id, Root root) {
    const auto found = pairing_.candidates.find(root);
    if (found == pairing_.candidates.end()) return;
    std::vector<onnx::NodeId> views;
    for (const StepId each : found->second) {
      const auto same = views_.find(
          mixed(pairing_.classes[a_.steps()[each].output], op_hash(d_.model().node(id).op_type())));
      if (same == views_.end()) continue;
      for (const onnx::NodeId view : same->second)
        if (may_give_one_form(d_, id, a_, view)) add(views, view);
    }
    origins_[id] = views.empty() ? one_of_candidates(root)
                                 : Origin{Kind::ambiguous, Proof::neighbours, std::move(views)};
  }

  // What a rewrite put in belongs to the value it carries.
  void carried(onnx::NodeId id) {
    if (origins_[id].kind != Kind::unknown || !d_.is_view(id) || d_.is_constant(id)) return;
    const onnx::Node node = d_.model().node(id);
    if (node.outputs().empty() || node.outputs()[0] == none) return;
    const Root root = d_.root(node.outputs()[0]);
    const Root partner = members_.chosen(root);
    if (partner == none) return carried_by_candidate(id, root);
    if (members_.is_open(root)) return;
    // The ancestor has such views of this value, too: it may be any of them.
    if (const auto same = views_.find(mixed(pairing_.classes[partner], op_hash(node.op_type())));
        same != views_.end()) {
      std::vector<onnx::NodeId> views;
      std::copy_if(same->second.begin(), same->second.end(), std::back_inserter(views),
                   [&](onnx::NodeId theirs) { return may_give_one_form(d_, id, a_, theirs); });
      leave_out_idle(a_, views, 1);
      if (!views.empty()) {
        origins_[id] = {views.size() == 1 ? Kind::view : Kind::ambiguous, pairing_.proofs[root],
                        std::move(views)};
        return;
      }
    }
    // What it carries may have another form than its root: then it is that view's.
    const onnx::NodeId made = maker_of(partner);
    const bool cut_off = made != none && has_trait(a_.model().node(made), Trait::clamps);
    Origin carries{Kind::carries, pairing_.proofs[root], {cut_off ? given_to(id, made) : primary_of(root)}};
    for (const onnx::NodeId view : views_above(d_, node.outputs()[0])) {
      if (view == id) continue;
      const Origin& above = origins_[view];
      if (above.kind == Kind::unknown || above.kind == Kind::ambiguous) return;
      carries.nodes = {above.nodes.front()};
      break;
    }
    if (carries.nodes.front() != none) origins_[id] = std::move(carries);
  }

  const Net &a_, &d_;
  const Pairing& pairing_;
  const Members members_;
  std::vector<Origin> origins_;
  std::vector<std::pair<onnx::NodeId, std::vector<onnx::NodeId>>> pairs_;
  const ValueNames& names_;
  std::unordered_map<std::uint64_t, std::vector<onnx::NodeId>> views_;
};

}  // namespace

std::vector<Origin> origins_of(const Net& ancestor, const Net& descendant, const Pairing& pairing) {
  return Finder(ancestor, descendant, pairing).run();
}

}  // namespace thence::transfer
