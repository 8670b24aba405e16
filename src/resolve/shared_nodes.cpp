// Exporters merge equal subexpressions: a node with layer 0's name computes the attention mask of layer 1,
// too. Such a node depends on no layer's weights, and besides its own module the same place in other layers
// reads it. Constants are merged by value, wherever they are.
#include <algorithm>

#include "base/text.h"
#include "resolve/propagate.h"
#include "resolve/thresholds.h"

namespace thence::resolve {
namespace {

// Two paths that differ in a layer's number and in nothing else: encoder.layer.0.attention,
// encoder.layer.1.attention.
struct LayerPair {
  std::string_view prefix;      // "encoder.layer."; empty: they are none
  std::string_view own, other;  // the numbers
};
LayerPair layer_pair_of(std::string_view a, std::string_view b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  while (at > 0 && a[at - 1] != '.') --at;
  const std::size_t end_a = std::min(a.find('.', at), a.size()), end_b = std::min(b.find('.', at), b.size());
  const LayerPair found{a.substr(0, at), a.substr(at, end_a - at), b.substr(at, end_b - at)};
  const bool numbers = base::is_digits(found.own) && base::is_digits(found.other);
  return numbers && a.substr(end_a) == b.substr(end_b) ? found : LayerPair{};
}

class SharedNodes {
 public:
  SharedNodes(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, const FlowIndex& flow_index,
              Resolution& resolution)
      : model_(model),
        hierarchy_(hierarchy),
        tree_(hierarchy.tree()),
        flow_(flow_index),
        resolution_(resolution),
        is_merged_(model.node_count(), false) {}

  // From the last node to the first: the modules of a node are known before those of its producers.
  void run() {
    for (onnx::NodeId id = model_.node_count(); id-- > 0;)
      if (resolution_.nodes[id].known() && resolution_.nodes[id].has_more_than_parameters)
        find_modules_that_share(id);
  }

 private:
  // What is known of one node and its consumers.
  struct Sharing {
    ModuleId own = no_module;
    bool is_constant = false;
    bool is_read_by_own = false;  // its own module reads it, too
    std::string_view prefix;      // of the repeated block whose layers share it
    std::size_t visited = 0;
  };

  void find_modules_that_share(onnx::NodeId id) {
    const bool constant = model_.node(id).inputs().empty();
    Sharing sharing{.own = resolution_.nodes[id].module, .is_constant = constant, .is_read_by_own = constant};
    modules_.assign(1, sharing.own);
    for (const onnx::ValueId value : model_.node(id).outputs()) {
      if (value == onnx::none) continue;
      for (const onnx::NodeId consumer : flow_.uses(value)) {
        if (++sharing.visited > max_consumers) break;
        add_consumer(sharing, consumer);
      }
    }
    if (modules_.size() < 2 || !sharing.is_read_by_own || (!constant && !reads_no_weight(id, sharing.prefix)))
      return;
    if (!constant) is_merged_[id] = true;
    set_modules(resolution_, id, modules_);
  }

  void add_consumer(Sharing& sharing, onnx::NodeId consumer) {
    const Attribution& other = resolution_.nodes[consumer];
    sharing.is_read_by_own |= other.module == sharing.own;
    if (!other.known() || !other.has_more_than_parameters) return;
    if (is_merged_[consumer])
      add_counterparts(modules_, sharing.own, resolution_.module_sets[other.module_set], sharing.prefix);
    if (other.module == sharing.own) return;
    if (!sharing.is_constant && !may_correspond(sharing.own, other.module)) return;
    const LayerPair pair = layer_pair_of(tree_[sharing.own].path, tree_[other.module].path);
    if (!pair.prefix.empty()) sharing.prefix = pair.prefix;
    if (sharing.is_constant || !pair.prefix.empty()) add(modules_, other.module);
  }

  // Twins have the same name, or are layers themselves: the last atom excludes most others.
  bool may_correspond(ModuleId own, ModuleId other) const {
    return tree_[own].name() == tree_[other].name() || base::is_digits(tree_[own].name());
  }

  // The producers of a merged node were merged before it: they belong to the same layers, at their own place.
  void add_counterparts(std::vector<ModuleId>& modules, ModuleId own,
                        const std::vector<ModuleId>& consumer_modules, std::string_view& layers) {
    const std::string_view path = tree_[own].path;
    if (lookups_left_ < consumer_modules.size()) return;
    lookups_left_ -= consumer_modules.size();
    for (const ModuleId counterpart : consumer_modules) {
      const LayerPair pair = layer_pair_of(tree_[consumer_modules.front()].path, tree_[counterpart].path);
      if (pair.prefix.empty() || !path.starts_with(pair.prefix)) continue;
      const std::string_view rest = path.substr(pair.prefix.size());
      if (!rest.starts_with(pair.own) || (rest.size() > pair.own.size() && rest[pair.own.size()] != '.'))
        continue;
      const ModuleId other_module = tree_.find(std::string(pair.prefix) + std::string(pair.other) +
                                               std::string(rest.substr(pair.own.size())));
      if (other_module == no_module) continue;
      layers = pair.prefix;
      add(modules, other_module);
    }
  }

  static void add(std::vector<ModuleId>& modules, ModuleId module) {
    if (modules.size() < max_listed_modules &&
        std::find(modules.begin(), modules.end(), module) == modules.end())
      modules.push_back(module);
  }

  // Whether neither the node nor what it is computed from inside these layers reads a weight.
  bool reads_no_weight(onnx::NodeId id, std::string_view layers) const {
    std::vector<onnx::NodeId> visited{id};
    std::size_t inputs = 0;
    for (std::size_t at = 0; at < visited.size(); ++at) {
      inputs += model_.node(visited[at]).inputs().size();
      if (visited.size() > max_visited_producers || inputs > max_visited_inputs) return false;
      for (const onnx::ValueId value : model_.node(visited[at]).inputs()) {
        if (value == onnx::none) continue;
        const onnx::Producer producer = model_.producer(value);
        if (producer.kind == onnx::Producer::Kind::initializer && is_weight(producer.index)) return false;
        if (producer.kind != onnx::Producer::Kind::node) continue;
        const Attribution& producing = resolution_.nodes[producer.index];
        if (producing.known() && !tree_[producing.module].path.starts_with(layers)) continue;
        if (std::find(visited.begin(), visited.end(), producer.index) == visited.end())
          visited.push_back(producer.index);
      }
    }
    return true;
  }

  // A matrix, or a parameter whose name has a module.
  bool is_weight(std::uint32_t initializer) const {
    if (hierarchy_.parameters()[initializer].module != no_module) return true;
    return model_.tensor(model_.initializers()[initializer]).dims.size() == 2;
  }

  const onnx::Model& model_;
  const hierarchy::Hierarchy& hierarchy_;
  const modules::ModuleTree& tree_;
  const FlowIndex& flow_;
  Resolution& resolution_;
  std::vector<bool> is_merged_;
  std::vector<ModuleId> modules_;  // of the current node
  std::size_t lookups_left_ = max_counterpart_lookups;
};

}  // namespace

void find_shared_nodes(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                       const FlowIndex& flow_index, Resolution& resolution) {
  SharedNodes(model, hierarchy, flow_index, resolution).run();
}

}  // namespace thence::resolve
