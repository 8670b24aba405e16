#include "profile/node_range.h"

#include <algorithm>
#include <unordered_set>

namespace thence::profile {
namespace {

// The nodes from which `last` is reached, itself included.
std::vector<onnx::NodeId> producers_of(const onnx::Model& model, onnx::NodeId last, std::size_t& steps) {
  std::vector<onnx::NodeId> found = {last};
  std::unordered_set<onnx::NodeId> seen = {last};
  for (std::size_t at = 0; at < found.size(); ++at)
    for (const onnx::ValueId value : model.node(found[at]).inputs()) {
      if (steps == 0) return found;
      --steps;
      if (value == onnx::none) continue;
      const onnx::Producer producer = model.producer(value);
      if (producer.kind == onnx::Producer::Kind::node && seen.insert(producer.index).second)
        found.push_back(producer.index);
    }
  return found;
}

}  // namespace

std::vector<onnx::NodeId> nodes_between(const onnx::Model& model, onnx::NodeId first, onnx::NodeId last,
                                        std::size_t& steps) {
  const std::vector<onnx::NodeId> candidates = producers_of(model, last, steps);
  std::unordered_set<onnx::NodeId> reached = {first};
  // Producers were found before their own producers, so the other direction needs several passes at most as
  // long as the range is deep; a worklist over consumers within the candidates needs one.
  std::unordered_multimap<onnx::NodeId, onnx::NodeId> consumers;
  for (const onnx::NodeId node : candidates)
    for (const onnx::ValueId value : model.node(node).inputs())
      if (value != onnx::none && model.producer(value).kind == onnx::Producer::Kind::node)
        consumers.emplace(model.producer(value).index, node);
  std::vector<onnx::NodeId> worklist = {first};
  while (!worklist.empty()) {
    const onnx::NodeId node = worklist.back();
    worklist.pop_back();
    for (auto [at, end] = consumers.equal_range(node); at != end; ++at)
      if (reached.insert(at->second).second) worklist.push_back(at->second);
  }
  std::vector<onnx::NodeId> between;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(between),
               [&](onnx::NodeId node) { return reached.contains(node); });
  if (std::find(between.begin(), between.end(), last) == between.end()) between.insert(between.begin(), last);
  if (std::find(between.begin(), between.end(), first) == between.end()) between.push_back(first);
  return between;
}

}  // namespace thence::profile
