#include "transfer/views.h"

#include <algorithm>

#include "dataflow/operator_traits.h"
#include "dataflow/primitive_ops.h"
#include "transfer/mix.h"

namespace thence::transfer {
namespace {

using dataflow::has_trait;
using dataflow::Trait;

constexpr std::size_t most_views = 64;  // in a row

// The constant that tells the form: a shape, axes.
const Constant* form_of(const Net& net, const onnx::Node& node) {
  if (node.inputs().size() < 2 || node.inputs()[1] == none) return nullptr;
  return net.constant(net.root(node.inputs()[1]));
}

std::uint64_t order_of(const onnx::Node& node) {
  std::uint64_t order = 0;
  if (const auto perm = node.attribute("perm"))
    for (const std::int64_t axis : perm->ints) order = mixed(order + 1, static_cast<std::uint64_t>(axis));
  return order;
}

bool is_scaled(const Net& net, const onnx::Node& node) {
  const auto inputs = node.inputs();
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](onnx::ValueId value) { return value != none && net.is_scale(value); });
}

bool reads_integers(const Net& net, const onnx::Node& node) {
  if (node.inputs().empty() || node.inputs()[0] == none) return false;
  const onnx::Producer producer = net.model().producer(node.inputs()[0]);
  return producer.kind == onnx::Producer::Kind::node &&
         has_trait(net.model().node(producer.index), Trait::integer_sums);
}

// How much speaks for two views being one; 0 when they cannot be.
int likeness(const Net& descendant, onnx::NodeId ours, const Net& ancestor, onnx::NodeId theirs) {
  if (!may_give_one_form(descendant, ours, ancestor, theirs)) return 0;
  const onnx::Node mine = descendant.model().node(ours), other = ancestor.model().node(theirs);
  if (mine.op_type() == "Transpose") return order_of(mine) == order_of(other) ? 4 : 1;
  const Constant *const form = form_of(descendant, mine), *const wanted = form_of(ancestor, other);
  if (form == nullptr || wanted == nullptr || form->content == 0 || wanted->content == 0) return 2;
  return form->content == wanted->content ? 4 : 1;
}

}  // namespace

std::vector<onnx::NodeId> views_above(const Net& net, onnx::ValueId value) {
  const LeftOut none_gone;
  return views_above(net, value, none_gone, net.root(value)).views;
}

Above views_above(const Net& net, onnx::ValueId value, const LeftOut& gone, Root until) {
  Above above{.views = {}, .root = net.root(value)};
  for (std::size_t passed = 0; passed < most_views; ++passed) {
    const onnx::Producer producer = net.model().producer(value);
    if (producer.kind != onnx::Producer::Kind::node) break;
    Root read = above.root;
    if (net.is_view(producer.index)) {
      above.views.push_back(producer.index);
    } else {
      const StepId maker = net.maker(above.root);
      if (above.root == until || maker == none) break;
      const auto left_out = gone.find(above.root);
      read = left_out != gone.end() ? left_out->second : net.steps()[maker].hands_on;
      if (read == none) break;
    }
    onnx::ValueId next = none;
    for (const onnx::ValueId input : net.model().node(producer.index).inputs())
      if (input != none && net.root(input) == read) next = input;
    if (next == none || next == value) break;
    above.root = read;
    value = next;
  }
  return above;
}

std::size_t count_reshaping(const Net& net, const std::vector<onnx::NodeId>& views) {
  return static_cast<std::size_t>(std::count_if(views.begin(), views.end(), [&](onnx::NodeId view) {
    return has_trait(net.model().node(view), Trait::reshapes);
  }));
}

void leave_out_idle(const Net& net, std::vector<onnx::NodeId>& views, std::size_t left) {
  if (views.size() <= left) return;
  const std::size_t reshaping = count_reshaping(net, views);
  std::size_t more = reshaping > left ? reshaping - left : 0;
  std::erase_if(views, [&](onnx::NodeId view) {
    const bool gone = more > 0 && net.is_idle(view);
    more -= gone;
    return gone;
  });
}

bool may_give_one_form(const Net& descendant, onnx::NodeId ours, const Net& ancestor, onnx::NodeId theirs) {
  const onnx::Node mine = descendant.model().node(ours), other = ancestor.model().node(theirs);
  if (dataflow::canonical_view_op(mine.op_type()) != dataflow::canonical_view_op(other.op_type()))
    return false;
  // What takes numbers out of their quantised form is none of the model's own.
  if (is_scaled(descendant, mine) != is_scaled(ancestor, other)) return false;
  if (reads_integers(descendant, mine) != reads_integers(ancestor, other)) return false;
  if (mine.op_type() != "Reshape") return true;
  // A shape keeps its rank, whatever becomes of its sizes.
  const Constant *const shape = form_of(descendant, mine), *const wanted = form_of(ancestor, other);
  return shape == nullptr || wanted == nullptr || shape->elements == wanted->elements;
}

bool reshape_otherwise(const Net& descendant, onnx::NodeId ours, const Net& ancestor, onnx::NodeId theirs) {
  const onnx::Node mine = descendant.model().node(ours), other = ancestor.model().node(theirs);
  return mine.op_type() != other.op_type() && has_trait(mine, Trait::regroups) &&
         has_trait(other, Trait::regroups);
}

Row in_a_row(const Net& descendant, const std::vector<onnx::NodeId>& ours, const Net& ancestor,
             const std::vector<onnx::NodeId>& theirs) {
  Row row;
  row.places.assign(ours.size(), Row::nowhere);
  row.beside.assign(ours.size(), {0, theirs.size()});
  if (ours.size() == 1 && theirs.size() <= 1) {  // most of them
    const bool one = !theirs.empty() && may_give_one_form(descendant, ours[0], ancestor, theirs[0]);
    if (one) row.places[0] = 0;
    return row;
  }
  // The best that can be said of the rows from here on.
  const std::size_t columns = theirs.size() + 1;
  std::vector<int> best((ours.size() + 1) * columns, 0), alike(best.size(), 0);
  for (std::size_t i = ours.size(); i-- > 0;)
    for (std::size_t j = theirs.size(); j-- > 0;) {
      const std::size_t here = i * columns + j;
      alike[here] = likeness(descendant, ours[i], ancestor, theirs[j]);
      best[here] = std::max(best[here + columns], best[here + 1]);
      if (alike[here] > 0) best[here] = std::max(best[here], alike[here] + best[here + columns + 1]);
    }
  std::size_t j = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    std::size_t at = j;
    while (at < theirs.size()) {
      const std::size_t here = i * columns + at;
      const bool paired = alike[here] > 0 && best[here] == alike[here] + best[here + columns + 1] &&
                          best[here] == best[i * columns + j];
      if (paired) break;
      if (best[here + 1] != best[i * columns + j]) at = theirs.size() - 1;  // better without this view
      ++at;
    }
    row.beside[i].first = j;
    if (at == theirs.size()) continue;
    row.places[i] = at;
    j = at + 1;
  }
  for (std::size_t i = ours.size(), end = theirs.size(); i-- > 0;) {
    row.beside[i].second = end;
    if (row.places[i] != Row::nowhere) end = row.places[i];
  }
  return row;
}

}  // namespace thence::transfer
