#include "match/order.h"

#include <algorithm>
#include <numeric>

namespace thence::match {

std::vector<Anchor> anchors_of(const std::vector<NodeItem>& items,
                               const std::vector<std::vector<std::uint32_t>>& readers) {
  std::vector<std::uint32_t> times(readers.size(), 0);
  for (const NodeItem& item : items)
    for (const std::uint32_t parameter : item.parameters) ++times[parameter];
  std::vector<Anchor> anchors;
  for (std::uint32_t item = 0; item < items.size(); ++item)
    for (const std::uint32_t parameter : items[item].parameters)
      if (times[parameter] == 1 && readers[parameter].size() == 1) {
        anchors.push_back({item, readers[parameter].front()});
        break;
      }
  return anchors;
}

std::vector<Anchor> in_step(const std::vector<Anchor>& anchors) {
  std::vector<std::uint32_t> ends, before(anchors.size(), onnx::none);  // patience sorting
  for (std::uint32_t i = 0; i < anchors.size(); ++i) {
    // A step may leave several nodes that read parameters: equal steps are in order, too.
    const auto place = std::upper_bound(ends.begin(), ends.end(), i, [&](std::uint32_t a, std::uint32_t b) {
      return anchors[a].step < anchors[b].step;
    });
    if (place != ends.begin()) before[i] = *(place - 1);
    if (place == ends.end())
      ends.push_back(i);
    else
      *place = i;
  }
  std::vector<Anchor> chain;
  for (std::uint32_t i = ends.empty() ? onnx::none : ends.back(); i != onnx::none; i = before[i])
    chain.push_back(anchors[i]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

namespace {

// An order that two graphs of one story share, however each was written down: every anchor after all it is
// made of, anchors in their order, and of what one thing is made of, first what came of the earliest anchors.
// `makers(i, out)` gives what i is made of, all of it before i.
template <class Makers>
std::vector<std::uint32_t> when_needed(const std::vector<std::uint32_t>& anchors, std::size_t count,
                                       const Makers& makers) {
  std::vector<std::uint32_t> latest(count, 0);  // anchor that each came of, from 1
  for (std::uint32_t i = 0; i < anchors.size(); ++i) latest[anchors[i]] = i + 1;
  std::vector<std::uint32_t> made_of;
  for (std::uint32_t i = 0; i < count; ++i) {
    makers(i, made_of);
    for (const std::uint32_t maker : made_of) latest[i] = std::max(latest[i], latest[maker]);
  }
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return latest[a] < latest[b]; };
  struct Open {
    std::uint32_t number;
    std::vector<std::uint32_t> left;  // to be told before it, the next one last
  };
  std::vector<std::uint32_t> order;
  std::vector<Open> open;
  std::vector<bool> seen(count, false);
  const auto enter = [&](std::uint32_t number) {
    if (seen[number]) return;
    seen[number] = true;
    makers(number, made_of);
    std::stable_sort(made_of.begin(), made_of.end(), earlier);
    open.push_back({number, {made_of.rbegin(), made_of.rend()}});
  };
  const auto tell = [&](std::uint32_t wanted) {
    enter(wanted);
    while (!open.empty()) {
      if (std::vector<std::uint32_t>& left = open.back().left; !left.empty()) {
        const std::uint32_t next = left.back();
        left.pop_back();
        enter(next);
        continue;
      }
      order.push_back(open.back().number);
      open.pop_back();
    }
  };
  for (const std::uint32_t anchor : anchors) tell(anchor);
  std::vector<std::uint32_t> rest(count);
  std::iota(rest.begin(), rest.end(), 0);
  std::stable_sort(rest.begin(), rest.end(), earlier);
  for (const std::uint32_t number : rest) tell(number);
  return order;
}

// The mirror image: readers are told before what they read, and then all is turned around.
template <class Makers>
std::vector<std::uint32_t> when_possible(const std::vector<std::uint32_t>& anchors, std::size_t count,
                                         const Makers& makers) {
  const auto mirrored = [count](std::uint32_t number) {
    return static_cast<std::uint32_t>(count) - 1 - number;
  };
  std::vector<std::vector<std::uint32_t>> readers(count);
  std::vector<std::uint32_t> made_of;
  for (std::uint32_t i = 0; i < count; ++i) {
    makers(i, made_of);
    for (const std::uint32_t maker : made_of) {
      std::vector<std::uint32_t>& read_by = readers[mirrored(maker)];
      if (read_by.empty() || read_by.back() != mirrored(i)) read_by.push_back(mirrored(i));
    }
  }
  std::vector<std::uint32_t> last_first(anchors.rbegin(), anchors.rend());
  for (std::uint32_t& anchor : last_first) anchor = mirrored(anchor);
  std::vector<std::uint32_t> order = when_needed(
      last_first, count, [&](std::uint32_t i, std::vector<std::uint32_t>& out) { out = readers[i]; });
  std::reverse(order.begin(), order.end());
  for (std::uint32_t& number : order) number = mirrored(number);
  return order;
}

template <class Makers>
std::vector<std::uint32_t> order_of(const std::vector<std::uint32_t>& anchors, std::size_t count,
                                    const Makers& makers, When when) {
  return when == When::needed ? when_needed(anchors, count, makers) : when_possible(anchors, count, makers);
}

std::vector<std::uint32_t> places_in(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> places(order.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  return places;
}

// Sizes are asked for just before what they are for, and no value tells.
std::vector<std::uint32_t> order_of_steps(const capture::Recording& recording,
                                          const std::vector<std::uint32_t>& anchors, When when) {
  constexpr auto size = capture::RecordedStep::Kind::size;
  const auto makers = [&](std::uint32_t step, std::vector<std::uint32_t>& out) {
    out.clear();
    for (const std::uint32_t maker : recording.makers(step))
      if (maker != onnx::none) out.push_back(maker);
    if (recording.steps[step].kind == size) return;
    std::uint32_t first = step;
    while (first > 0 && recording.steps[first - 1].kind == size) --first;
    for (; first < step; ++first) out.push_back(first);
  };
  return order_of(anchors, recording.steps.size(), makers, when);
}

capture::Recording reordered(const capture::Recording& recording, const std::vector<std::uint32_t>& order) {
  const std::vector<std::uint32_t> places = places_in(order);
  capture::Recording told = recording;
  told.steps.clear();
  told.links.clear();
  told.made.clear();
  for (const std::uint32_t step : order) {
    told.begin(recording.steps[step]);
    const auto inputs = recording.inputs(step), outputs = recording.outputs(step);
    told.links.insert(told.links.end(), inputs.begin(), inputs.end());
    told.begin_outputs();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (const std::uint32_t maker = recording.makers(step)[i]; maker != onnx::none)
        told.made[told.made.size() - inputs.size() + i] = places[maker];
    told.links.insert(told.links.end(), outputs.begin(), outputs.end());
  }
  return told;
}

std::vector<NodeItem> reordered(std::vector<NodeItem> items, const std::vector<std::uint32_t>& anchors,
                                When when) {
  const auto makers = [&](std::uint32_t item, std::vector<std::uint32_t>& out) { out = items[item].made_of; };
  const std::vector<std::uint32_t> order = order_of(anchors, items.size(), makers, when);
  const std::vector<std::uint32_t> places = places_in(order);
  std::vector<NodeItem> told;
  told.reserve(items.size());
  for (const std::uint32_t item : order) {
    told.push_back(std::move(items[item]));
    for (std::uint32_t& maker : told.back().made_of) maker = places[maker];
  }
  return told;
}

}  // namespace

float kept_close(const onnx::Model& model) {
  constexpr onnx::NodeId close_by = 32;
  std::vector<onnx::NodeId> first_reader(model.node_count(), onnx::none);
  std::vector<bool> begins(
      model.node_count());  // copies of weights stand first in a file, whoever reads them
  for (onnx::NodeId id = model.node_count(); id-- > 0;) {
    begins[id] = !model.node(id).inputs().empty();
    for (const onnx::ValueId value : model.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model.producer(value);
      if (producer.kind != onnx::Producer::Kind::node) continue;
      first_reader[producer.index] = id;
      begins[id] = false;
    }
  }
  std::size_t read = 0, close = 0;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    if (first_reader[id] == onnx::none || begins[id]) continue;
    ++read;
    if (first_reader[id] > id && first_reader[id] - id <= close_by) ++close;
  }
  return read == 0 ? 1.0f : static_cast<float>(close) / static_cast<float>(read);
}

Told told_alike(const capture::Recording& recording, std::vector<NodeItem> items, std::vector<Anchor> anchors,
                When when) {
  std::stable_sort(anchors.begin(), anchors.end(),
                   [](const Anchor& a, const Anchor& b) { return a.step < b.step; });
  std::vector<std::uint32_t> by_item, by_step;
  for (const Anchor& anchor : anchors) {
    by_item.push_back(anchor.item);
    by_step.push_back(anchor.step);
  }
  std::vector<std::uint32_t> steps = order_of_steps(recording, by_step, when);
  capture::Recording in_order = reordered(recording, steps);
  return {std::move(in_order), reordered(std::move(items), by_item, when), std::move(steps)};
}

}  // namespace thence::match
