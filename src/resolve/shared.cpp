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
struct Twins {
  std::string_view layers;      // "encoder.layer."; empty: they are none
  std::string_view own, other;  // the numbers
};
Twins twins(std::string_view a, std::string_view b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  while (at > 0 && a[at - 1] != '.') --at;
  const std::size_t end_a = std::min(a.find('.', at), a.size()), end_b = std::min(b.find('.', at), b.size());
  const Twins found{a.substr(0, at), a.substr(at, end_a - at), b.substr(at, end_b - at)};
  const bool numbers = base::is_digits(found.own) && base::is_digits(found.other);
  return numbers && a.substr(end_a) == b.substr(end_b) ? found : Twins{};
}

class Sharing {
 public:
  Sharing(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, const Wiring& wiring,
          Resolution& resolution)
      : model_(model),
        hierarchy_(hierarchy),
        tree_(hierarchy.tree()),
        wiring_(wiring),
        resolution_(resolution),
        merged_(model.node_count(), false) {}

  // From the last node to the first: the modules that a node serves are known before those of its producers.
  void run() {
    for (onnx::NodeId id = model_.node_count(); id-- > 0;)
      if (resolution_.nodes[id].known() && resolution_.nodes[id].named) find_sharers(id);
  }

 private:
  // The readers of one node.
  struct Sharers {
    ModuleId own = no_module;
    bool is_constant = false;
    bool serves_own = false;  // its own module reads it, too
    std::string_view layers;  // the repeated block whose layers share it
    std::size_t visited = 0;
  };

  void find_sharers(onnx::NodeId id) {
    const bool constant = model_.node(id).inputs().empty();
    Sharers sharers{.own = resolution_.nodes[id].module, .is_constant = constant, .serves_own = constant};
    serves_.assign(1, sharers.own);
    for (const onnx::ValueId value : model_.node(id).outputs()) {
      if (value == onnx::none) continue;
      for (const onnx::NodeId reader : wiring_.uses(value)) {
        if (++sharers.visited > most_readers) break;
        add_reader(sharers, reader);
      }
    }
    if (serves_.size() < 2 || !sharers.serves_own || (!constant && !reads_no_weight(id, sharers.layers)))
      return;
    if (!constant) merged_[id] = true;
    set_modules(resolution_, id, serves_);
  }

  void add_reader(Sharers& sharers, onnx::NodeId reader) {
    const Attribution& other = resolution_.nodes[reader];
    sharers.serves_own |= other.module == sharers.own;
    if (!other.known() || !other.named) return;
    if (merged_[reader]) add_places(serves_, sharers.own, resolution_.sets[other.set], sharers.layers);
    if (other.module == sharers.own) return;
    if (!sharers.is_constant && !may_be_twins(sharers.own, other.module)) return;
    const Twins pair = twins(tree_[sharers.own].path, tree_[other.module].path);
    if (!pair.layers.empty()) sharers.layers = pair.layers;
    if (sharers.is_constant || !pair.layers.empty()) add(serves_, other.module);
  }

  // Twins have the same name, or are layers themselves: the last atom excludes most others.
  bool may_be_twins(ModuleId own, ModuleId other) const {
    return tree_[own].name() == tree_[other].name() || base::is_digits(tree_[own].name());
  }

  // The producers of a merged node were merged before it: they serve the same layers, at their own place.
  void add_places(std::vector<ModuleId>& serves, ModuleId own, const std::vector<ModuleId>& reader_serves,
                  std::string_view& layers) {
    const std::string_view path = tree_[own].path;
    if (places_left_ < reader_serves.size()) return;
    places_left_ -= reader_serves.size();
    for (const ModuleId twin : reader_serves) {
      const Twins pair = twins(tree_[reader_serves.front()].path, tree_[twin].path);
      if (pair.layers.empty() || !path.starts_with(pair.layers)) continue;
      const std::string_view rest = path.substr(pair.layers.size());
      if (!rest.starts_with(pair.own) || (rest.size() > pair.own.size() && rest[pair.own.size()] != '.'))
        continue;
      const ModuleId place = tree_.find(std::string(pair.layers) + std::string(pair.other) +
                                        std::string(rest.substr(pair.own.size())));
      if (place == no_module) continue;
      layers = pair.layers;
      add(serves, place);
    }
  }

  static void add(std::vector<ModuleId>& serves, ModuleId module) {
    if (serves.size() < most_listed && std::find(serves.begin(), serves.end(), module) == serves.end())
      serves.push_back(module);
  }

  // Whether neither the node nor what it is computed from inside these layers reads a weight.
  bool reads_no_weight(onnx::NodeId id, std::string_view layers) const {
    std::vector<onnx::NodeId> made_of{id};
    std::size_t inputs = 0;
    for (std::size_t at = 0; at < made_of.size(); ++at) {
      inputs += model_.node(made_of[at]).inputs().size();
      if (made_of.size() > most_sources || inputs > most_inputs) return false;
      for (const onnx::ValueId value : model_.node(made_of[at]).inputs()) {
        if (value == onnx::none) continue;
        const onnx::Producer producer = model_.producer(value);
        if (producer.kind == onnx::Producer::Kind::initializer && is_weight(producer.index)) return false;
        if (producer.kind != onnx::Producer::Kind::node) continue;
        const Attribution& writer = resolution_.nodes[producer.index];
        if (writer.known() && !tree_[writer.module].path.starts_with(layers)) continue;
        if (std::find(made_of.begin(), made_of.end(), producer.index) == made_of.end())
          made_of.push_back(producer.index);
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
  const Wiring& wiring_;
  Resolution& resolution_;
  std::vector<bool> merged_;
  std::vector<ModuleId> serves_;  // of the current node
  std::size_t places_left_ = most_places;
};

}  // namespace

void find_shared(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, const Wiring& wiring,
                 Resolution& resolution) {
  Sharing(model, hierarchy, wiring, resolution).run();
}

}  // namespace thence::resolve
