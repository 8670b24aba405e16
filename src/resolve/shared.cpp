// Exporters merge equal subexpressions: layer 1's attention mask is computed by a node that bears layer 0's
// name. Such a node depends on nothing that is a layer's own, and the same place in other layers reads it
// besides its own module. Constants are merged by value, wherever they are.
#include <algorithm>

#include "base/text.h"
#include "resolve/propagate.h"

namespace thence::resolve {
namespace {

constexpr std::size_t most_sharing = 64, most_readers = 1024, most_inputs = 1024;

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

  // From the last node to the first: whom a node serves is known before what it is made of.
  void run() {
    for (onnx::NodeId id = model_.node_count(); id-- > 0;)
      if (resolution_.nodes[id].known() && resolution_.nodes[id].named) look_at(id);
  }

 private:
  // What the readers of one node say about it.
  struct Sharers {
    ModuleId own = no_module;
    bool is_constant = false;
    bool serves_own = false;  // its own module reads it, too
    std::string_view layers;  // the repeated block whose layers share it
    std::size_t looked_at = 0;
  };

  void look_at(onnx::NodeId id) {
    const bool constant = model_.node(id).inputs().empty();
    Sharers sharers{.own = resolution_.nodes[id].module, .is_constant = constant, .serves_own = constant};
    serves_.assign(1, sharers.own);
    for (const onnx::ValueId value : model_.node(id).outputs()) {
      if (value == onnx::none) continue;
      for (const onnx::NodeId reader : wiring_.uses(value)) {
        if (++sharers.looked_at > most_readers) break;
        add_reader(sharers, reader);
      }
    }
    if (serves_.size() < 2 || !sharers.serves_own || (!constant && !free_of(id, sharers.layers))) return;
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

  // Twins bear the same name, or are layers themselves: a look at the last atom tells most others apart.
  bool may_be_twins(ModuleId own, ModuleId other) const {
    return tree_[own].name() == tree_[other].name() || base::is_digits(tree_[own].name());
  }

  // What a merged node was made of was merged before it: it serves the same layers, at its own place in them.
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
    if (serves.size() < most_sharing && std::find(serves.begin(), serves.end(), module) == serves.end())
      serves.push_back(module);
  }

  // Whether a node, and all it is made of inside these layers, reads no weights. Looks at a few dozen nodes
  // at most.
  bool free_of(onnx::NodeId id, std::string_view layers) const {
    constexpr std::size_t most_looked_at = 48;
    std::vector<onnx::NodeId> made_of{id};
    std::size_t inputs = 0;
    for (std::size_t at = 0; at < made_of.size(); ++at) {
      inputs += model_.node(made_of[at]).inputs().size();
      if (made_of.size() > most_looked_at || inputs > most_inputs) return false;
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

  // A matrix, or a parameter that says whose it is.
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
  std::vector<ModuleId> serves_;       // of the node at hand
  std::size_t places_left_ = 1 << 20;  // more than an honest model needs, and done in a moment
};

}  // namespace

void find_shared(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, const Wiring& wiring,
                 Resolution& resolution) {
  Sharing(model, hierarchy, wiring, resolution).run();
}

}  // namespace thence::resolve
