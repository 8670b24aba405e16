#include "functions/call_graph.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "dataflow/bodies.h"
#include "functions/limits.h"
#include "onnx/limits.h"

namespace thence::functions {

using onnx::Graph;
using onnx::GraphId;
using onnx::NodeId;

namespace {

// Functions that an error message names.
constexpr std::size_t max_named_functions = 6;

std::uint64_t add(std::uint64_t a, std::uint64_t b) { return a + b < a ? ~std::uint64_t{0} : a + b; }
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > ~std::uint64_t{0} / a ? ~std::uint64_t{0} : a * b;
}

// The bytes of a file that are not weights, as far as the nodes tell.
std::uint64_t bytes_without_weights(const onnx::Model& model) {
  std::uint64_t weights = 0;
  for (const onnx::Initializer& initializer : model.initializers()) weights += initializer.bytes.size();
  return model.size() - std::min(weights, model.size());
}

}  // namespace

Result<CallGraph> CallGraph::make(const onnx::Model& model,
                                  const std::function<bool(const Graph&)>& is_expanded) {
  CallGraph calls(model);
  calls.find_calls(is_expanded);
  const Result<std::vector<GraphId>> sorted = calls.sort_functions();
  if (!sorted) return sorted.error();
  if (auto error = calls.count_instances(*sorted)) return *std::move(error);
  return calls;
}

void CallGraph::find_calls(const std::function<bool(const Graph&)>& is_expanded) {
  const std::vector<Graph>& graphs = model_->graphs();
  const dataflow::Functions functions(*model_);
  callees_.assign(model_->node_count(), onnx::none);
  expanded_.assign(graphs.size(), false);
  for (const GraphId id : functions.all()) expanded_[id] = is_expanded(graphs[id]);
  ends_.assign(graphs.size(), 0);
  calls_.resize(graphs.size());
  for (GraphId id = 0; id < graphs.size(); id = ends_[id]) {
    ends_[id] = functions.end_of(id);
    for (GraphId inner = id; inner < ends_[id]; ++inner)
      for (NodeId node = graphs[inner].first_node; node < graphs[inner].first_node + graphs[inner].node_count;
           ++node) {
        const GraphId callee = functions.called_by(model_->node(node));
        if (callee == onnx::none || !expanded_[callee]) continue;
        callees_[node] = callee;
        calls_[id].push_back(node);
      }
  }
  mark_owners_of_calls();
}

void CallGraph::mark_owners_of_calls() {
  const std::vector<Graph>& graphs = model_->graphs();
  has_calls_.assign(model_->node_count(), false);
  for (NodeId node = 0; node < callees_.size(); ++node) has_calls_[node] = callees_[node] != onnx::none;
  // Bodies come after the graphs that enclose them, so that inner bodies are marked first.
  for (auto id = static_cast<GraphId>(graphs.size()); id-- > 0;) {
    const Graph& graph = graphs[id];
    if (graph.kind != Graph::Kind::body || has_calls_[graph.owner]) continue;
    for (NodeId node = graph.first_node; node < graph.first_node + graph.node_count; ++node)
      if (has_calls_[node]) has_calls_[graph.owner] = true;
  }
}

// Depth-first search with an explicit stack, because a hostile file may have a long chain of functions.
Result<std::vector<GraphId>> CallGraph::sort_functions() const {
  enum : std::uint8_t { unseen, open, closed };
  std::vector<std::uint8_t> state(expanded_.size(), unseen);
  std::vector<GraphId> sorted, chain;
  std::vector<std::size_t> next(expanded_.size(), 0);
  for (GraphId start = 0; start < expanded_.size(); start = ends_[start]) {
    if (state[start] != unseen || (start != 0 && !expanded_[start])) continue;
    for (chain.assign(1, start), state[start] = open; !chain.empty();) {
      const GraphId at = chain.back();
      if (next[at] == calls_[at].size()) {
        state[at] = closed;
        sorted.push_back(at);
        chain.pop_back();
        continue;
      }
      const GraphId callee = callees_[calls_[at][next[at]++]];
      if (state[callee] == open) {
        chain.push_back(callee);
        return cycle(chain);
      }
      if (state[callee] != unseen) continue;
      state[callee] = open;
      chain.push_back(callee);
    }
  }
  std::reverse(sorted.begin(), sorted.end());
  return sorted;
}

Error CallGraph::cycle(const std::vector<GraphId>& chain) const {
  auto at = std::find(chain.begin(), chain.end(), chain.back());
  std::string names;
  for (std::size_t i = 0; at != chain.end() && i < max_named_functions; ++at, ++i)
    names += base::format("{}'{}'", i == 0 ? "" : " calls ",
                          base::printable(model_->graphs()[*at].name.substr(0, onnx::max_label_name_bytes)));
  if (at != chain.end()) names += " and so on";
  return {
      ErrorKind::bad_input, "W016",
      base::format("{}: functions call each other in a cycle: {}", base::printable(model_->file()), names),
      "no runtime loads such a model; export it again"};
}

CallGraph::Size CallGraph::size_of(GraphId function) const {
  Size size;
  for (GraphId id = function; id < ends_[function]; ++id) size.nodes += model_->graphs()[id].node_count;
  for (const std::string_view piece : model_->graphs()[function].bytes) size.bytes += piece.size();
  return size;
}

std::optional<Error> CallGraph::count_instances(const std::vector<GraphId>& sorted) {
  instances_.assign(expanded_.size(), 0);
  instances_[0] = 1;
  std::vector<std::uint32_t> depth(expanded_.size(), 0);
  std::uint64_t nodes = 0, bytes = 0;
  std::uint32_t deepest = 0;
  for (const GraphId id : sorted) {
    const Size size = size_of(id);
    nodes = add(nodes, multiply(instances_[id], size.nodes));
    if (id != 0) bytes = add(bytes, multiply(instances_[id], size.bytes));
    for (const NodeId call : calls_[id]) {
      const GraphId callee = callees_[call];
      instances_[callee] = add(instances_[callee], instances_[id]);
      depth[callee] = std::max(depth[callee], depth[id] + 1);
      deepest = std::max(deepest, depth[callee]);
    }
  }
  max_bytes_ = max_expanded_bytes + max_expanded_ratio * bytes_without_weights(*model_);
  std::string what;
  if (deepest > max_call_depth)
    what = base::format("its functions call each other {} levels deep", deepest);
  else if (nodes > std::max<std::uint64_t>(max_expanded_nodes, model_->node_count()))
    what = "its functions stand for too many nodes";
  else if (bytes > max_bytes_)
    what = "its functions stand for too many bytes";
  if (what.empty()) return std::nullopt;
  return Error{
      ErrorKind::bad_input, "W017", base::format("{}: {}", base::printable(model_->file()), what),
      base::format("limits: {} levels, {} nodes, and the sum of {} MiB and {} times the file without "
                   "its weights",
                   max_call_depth, max_expanded_nodes, max_expanded_bytes >> 20, max_expanded_ratio)};
}

}  // namespace thence::functions
