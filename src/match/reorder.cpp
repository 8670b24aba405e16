#include "match/reorder.h"

#include <algorithm>
#include <numeric>

#include "match/thresholds.h"

namespace thence::match {

std::vector<Anchor> anchors_of(const std::vector<NodeItem>& items,
                               const std::vector<std::vector<std::uint32_t>>& parameter_uses) {
  std::vector<std::uint32_t> times(parameter_uses.size(), 0);
  for (const NodeItem& item : items)
    for (const std::uint32_t parameter : item.parameters) ++times[parameter];
  std::vector<Anchor> anchors;
  for (std::uint32_t item = 0; item < items.size(); ++item)
    for (const std::uint32_t parameter : items[item].parameters)
      if (times[parameter] == 1 && parameter_uses[parameter].size() == 1) {
        anchors.push_back({item, parameter_uses[parameter].front()});
        break;
      }
  return anchors;
}

// Patience sorting.
std::vector<Anchor> longest_increasing_subsequence(const std::vector<Anchor>& anchors) {
  std::vector<std::uint32_t> tails, predecessors(anchors.size(), onnx::none);
  for (std::uint32_t i = 0; i < anchors.size(); ++i) {
    // A step may emit several nodes that read parameters: equal steps are in order, too.
    const auto position =
        std::upper_bound(tails.begin(), tails.end(), i,
                         [&](std::uint32_t a, std::uint32_t b) { return anchors[a].step < anchors[b].step; });
    if (position != tails.begin()) predecessors[i] = *(position - 1);
    if (position == tails.end())
      tails.push_back(i);
    else
      *position = i;
  }
  std::vector<Anchor> chain;
  for (std::uint32_t i = tails.empty() ? onnx::none : tails.back(); i != onnx::none; i = predecessors[i])
    chain.push_back(anchors[i]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

namespace {

// A depth-first topological order that does not depend on the order of the input: anchors in their order,
// each after everything it is computed from. Of several producers, the one that depends on the earliest
// anchors comes first. `producers(i, out)` gives the producers of i, all of which are smaller than i.
template <class Producers>
std::vector<std::uint32_t> alap_order(const std::vector<std::uint32_t>& anchors, std::size_t count,
                                      const Producers& producers) {
  std::vector<std::uint32_t> latest(count, 0);  // the last anchor that each depends on, from 1
  for (std::uint32_t i = 0; i < anchors.size(); ++i) latest[anchors[i]] = i + 1;
  std::vector<std::uint32_t> direct_producers;
  for (std::uint32_t i = 0; i < count; ++i) {
    producers(i, direct_producers);
    for (const std::uint32_t producer : direct_producers) latest[i] = std::max(latest[i], latest[producer]);
  }
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return latest[a] < latest[b]; };
  struct PendingVisit {
    std::uint32_t number;
    std::vector<std::uint32_t> left;  // producers to visit before it, the next one last
  };
  std::vector<std::uint32_t> order;
  std::vector<PendingVisit> pending;
  std::vector<bool> seen(count, false);
  const auto enter = [&](std::uint32_t number) {
    if (seen[number]) return;
    seen[number] = true;
    producers(number, direct_producers);
    std::stable_sort(direct_producers.begin(), direct_producers.end(), earlier);
    pending.push_back({number, {direct_producers.rbegin(), direct_producers.rend()}});
  };
  const auto visit = [&](std::uint32_t wanted) {
    enter(wanted);
    while (!pending.empty()) {
      if (std::vector<std::uint32_t>& left = pending.back().left; !left.empty()) {
        const std::uint32_t next = left.back();
        left.pop_back();
        enter(next);
        continue;
      }
      order.push_back(pending.back().number);
      pending.pop_back();
    }
  };
  for (const std::uint32_t anchor : anchors) visit(anchor);
  std::vector<std::uint32_t> rest(count);
  std::iota(rest.begin(), rest.end(), 0);
  std::stable_sort(rest.begin(), rest.end(), earlier);
  for (const std::uint32_t number : rest) visit(number);
  return order;
}

// The mirror image: the ALAP order of the reversed graph, reversed.
template <class Producers>
std::vector<std::uint32_t> asap_order(const std::vector<std::uint32_t>& anchors, std::size_t count,
                                      const Producers& producers) {
  const auto mirrored = [count](std::uint32_t number) {
    return static_cast<std::uint32_t>(count) - 1 - number;
  };
  std::vector<std::vector<std::uint32_t>> consumers(count);
  std::vector<std::uint32_t> direct_producers;
  for (std::uint32_t i = 0; i < count; ++i) {
    producers(i, direct_producers);
    for (const std::uint32_t producer : direct_producers) {
      std::vector<std::uint32_t>& direct_consumers = consumers[mirrored(producer)];
      if (direct_consumers.empty() || direct_consumers.back() != mirrored(i))
        direct_consumers.push_back(mirrored(i));
    }
  }
  std::vector<std::uint32_t> reversed_anchors(anchors.rbegin(), anchors.rend());
  for (std::uint32_t& anchor : reversed_anchors) anchor = mirrored(anchor);
  std::vector<std::uint32_t> order = alap_order(
      reversed_anchors, count, [&](std::uint32_t i, std::vector<std::uint32_t>& out) { out = consumers[i]; });
  std::reverse(order.begin(), order.end());
  for (std::uint32_t& number : order) number = mirrored(number);
  return order;
}

template <class Producers>
std::vector<std::uint32_t> order_of(const std::vector<std::uint32_t>& anchors, std::size_t count,
                                    const Producers& producers, Schedule schedule) {
  return schedule == Schedule::alap ? alap_order(anchors, count, producers)
                                    : asap_order(anchors, count, producers);
}

std::vector<std::uint32_t> inverse_permutation(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> positions(order.size());
  for (std::uint32_t position = 0; position < order.size(); ++position) positions[order[position]] = position;
  return positions;
}

// A recording does not show who reads a size. Sizes are read just before the operation that they are for, so
// they count as its producers.
std::vector<std::uint32_t> order_of_steps(const capture::Recording& recording,
                                          const std::vector<std::uint32_t>& anchors, Schedule schedule) {
  constexpr auto size = capture::RecordedStep::Kind::size;
  const auto producers = [&](std::uint32_t step, std::vector<std::uint32_t>& out) {
    out.clear();
    for (const std::uint32_t producer : recording.input_producers(step))
      if (producer != onnx::none) out.push_back(producer);
    if (recording.steps[step].kind == size) return;
    std::uint32_t first = step;
    while (first > 0 && recording.steps[first - 1].kind == size) --first;
    for (; first < step; ++first) out.push_back(first);
  };
  return order_of(anchors, recording.steps.size(), producers, schedule);
}

capture::Recording reorder_recording(const capture::Recording& recording,
                                     const std::vector<std::uint32_t>& order) {
  const std::vector<std::uint32_t> positions = inverse_permutation(order);
  capture::Recording copy = recording;
  copy.steps.clear();
  copy.links.clear();
  copy.link_producers.clear();
  for (const std::uint32_t step : order) {
    copy.begin_step(recording.steps[step]);
    const auto inputs = recording.inputs(step), outputs = recording.outputs(step);
    copy.links.insert(copy.links.end(), inputs.begin(), inputs.end());
    copy.begin_outputs();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (const std::uint32_t producer = recording.input_producers(step)[i]; producer != onnx::none)
        copy.link_producers[copy.link_producers.size() - inputs.size() + i] = positions[producer];
    copy.links.insert(copy.links.end(), outputs.begin(), outputs.end());
  }
  return copy;
}

std::vector<NodeItem> reorder_items(std::vector<NodeItem> items, const std::vector<std::uint32_t>& anchors,
                                    Schedule schedule) {
  const auto producers = [&](std::uint32_t item, std::vector<std::uint32_t>& out) {
    out = items[item].producers;
  };
  const std::vector<std::uint32_t> order = order_of(anchors, items.size(), producers, schedule);
  const std::vector<std::uint32_t> positions = inverse_permutation(order);
  std::vector<NodeItem> moved;
  moved.reserve(items.size());
  for (const std::uint32_t item : order) {
    moved.push_back(std::move(items[item]));
    for (std::uint32_t& producer : moved.back().producers) producer = positions[producer];
  }
  return moved;
}

}  // namespace

float producer_locality(const onnx::Model& model) {
  std::vector<onnx::NodeId> first_consumer(model.node_count(), onnx::none);
  std::vector<bool> reads_no_node(model.node_count());  // copies of weights stand first in a file
  for (onnx::NodeId id = model.node_count(); id-- > 0;) {
    reads_no_node[id] = !model.node(id).inputs().empty();
    for (const onnx::ValueId value : model.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model.producer(value);
      if (producer.kind != onnx::Producer::Kind::node) continue;
      first_consumer[producer.index] = id;
      reads_no_node[id] = false;
    }
  }
  std::size_t read = 0, close = 0;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    if (first_consumer[id] == onnx::none || reads_no_node[id]) continue;
    ++read;
    if (first_consumer[id] > id && first_consumer[id] - id <= close_distance) ++close;
  }
  return read == 0 ? 1.0f : static_cast<float>(close) / static_cast<float>(read);
}

Reordered reorder_both(const capture::Recording& recording, std::vector<NodeItem> items,
                       std::vector<Anchor> anchors, Schedule schedule) {
  std::stable_sort(anchors.begin(), anchors.end(),
                   [](const Anchor& a, const Anchor& b) { return a.step < b.step; });
  std::vector<std::uint32_t> by_item, by_step;
  for (const Anchor& anchor : anchors) {
    by_item.push_back(anchor.item);
    by_step.push_back(anchor.step);
  }
  std::vector<std::uint32_t> steps = order_of_steps(recording, by_step, schedule);
  capture::Recording moved = reorder_recording(recording, steps);
  return {std::move(moved), reorder_items(std::move(items), by_item, schedule), std::move(steps)};
}

}  // namespace thence::match
