#include "resolve/propagate.h"

#include <algorithm>

#include "resolve/thresholds.h"

namespace thence::resolve {
namespace {

using evidence::Source;

class Propagation {
 public:
  Propagation(const onnx::Model& model, const modules::ModuleTree& tree, const Wiring& wiring,
              Resolution& resolution)
      : model_(model), tree_(tree), wiring_(wiring), resolution_(resolution) {}

  void run() {
    // Work limit, in proportion to the model: a malicious file gets fewer answers instead of late ones.
    work_left_ = least_work + work_per_node * model_.node_count();
    for (onnx::NodeId id = 0; id < model_.node_count(); ++id)
      work_left_ += work_per_input * model_.node(id).inputs().size();
    for (int pass = 0; pass < passes; ++pass) {
      last_ = pass == passes - 1;
      bool changed = false;
      next_ = onnx::none;
      for (onnx::NodeId id = model_.node_count(); id-- > 0;) {
        if (open(id) && work_left_ > 0) changed |= from_readers(id);
        if (!model_.node(id).inputs().empty()) next_ = id;
      }
      for (onnx::NodeId id = 0; id < model_.node_count(); ++id)
        if (open(id) && work_left_ > 0) changed |= from_both_sides(id);
      if (!changed && last_) break;
      if (!changed) pass = passes - 2;  // skip to the last pass, which ignores unattributed readers
    }
  }

 private:
  struct Owners {
    std::vector<ModuleId> modules;  // distinct, in order of appearance
    ModuleId common = no_module;
    bool any_unknown = false;
    bool between_layers = false;  // an unattributed one lies between layers
    bool all_named = true;
    bool any_projected = false;
    bool any_in_order = false;
    bool layers_differ = false;
    float confidence = 1;  // of the least certain
    int removed = 255;     // of the nearest
  };

  bool open(onnx::NodeId id) const {
    const Attribution& node = resolution_.nodes[id];
    return !node.known() && (node.reason == Reason::no_evidence || node.reason == Reason::between_layers ||
                             node.reason == Reason::serves_several);
  }

  void spend(std::size_t work) const { work_left_ -= std::min(work, work_left_); }

  void add(Owners& owners, onnx::NodeId neighbour) const {
    spend(1);
    const Attribution& other = resolution_.nodes[neighbour];
    if (!other.known()) {
      owners.any_unknown = true;
      owners.between_layers |= other.reason == Reason::between_layers;
      return;
    }
    owners.all_named &= other.named;
    owners.any_projected |= other.projected;
    owners.any_in_order |= other.in_order;
    owners.confidence = std::min(owners.confidence, other.confidence);
    owners.removed = std::min<int>(owners.removed, other.removed);
    if (std::find(owners.modules.begin(), owners.modules.end(), other.module) != owners.modules.end()) return;
    spend(owners.modules.size() * (1 + tree_[other.module].path.size() / 128));
    for (const ModuleId module : owners.modules)
      owners.layers_differ = owners.layers_differ ||
                             modules::are_in_different_layers(tree_[module].path, tree_[other.module].path);
    owners.common =
        owners.common == no_module ? other.module : tree_.common_ancestor(owners.common, other.module);
    if (owners.modules.size() < most_listed) owners.modules.push_back(other.module);
  }

  Owners readers(onnx::NodeId id) const {
    Owners owners;
    for (const onnx::ValueId value : model_.node(id).outputs()) {
      if (value == onnx::none) continue;
      for (const onnx::NodeId reader : wiring_.uses(value))
        if (reader != id && work_left_ > 0) add(owners, reader);
    }
    return owners;
  }

  Owners writers(onnx::NodeId id) const {
    Owners owners;
    for (const onnx::ValueId value : model_.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model_.producer(value);
      if (producer.kind != onnx::Producer::Kind::node || producer.index == id) continue;
      if (wiring_.flow(producer.index) == Flow::data) add(owners, producer.index);
    }
    return owners;
  }

  // Visits the producers of a node's inputs, and theirs in turn where `beyond` returns true.
  void writers_beyond(onnx::NodeId id, const auto& beyond) const {
    std::vector<onnx::NodeId> seen{id};
    for (std::size_t at = 0; at < seen.size() && seen.size() < most_unattributed; ++at)
      for (const onnx::ValueId value : model_.node(seen[at]).inputs()) {
        spend(1 + seen.size() / 16);
        if (value == onnx::none || work_left_ == 0) continue;
        const onnx::Producer producer = model_.producer(value);
        if (producer.kind == onnx::Producer::Kind::node && beyond(producer.index) &&
            std::find(seen.begin(), seen.end(), producer.index) == seen.end())
          seen.push_back(producer.index);
      }
  }

  // The nearest attributed producers, through unattributed ones.
  Owners known_writers(onnx::NodeId id) const {
    Owners owners;
    writers_beyond(id, [&](onnx::NodeId writer) {
      if (wiring_.flow(writer) != Flow::data) return false;
      if (resolution_.nodes[writer].known()) add(owners, writer);
      return !resolution_.nodes[writer].known();
    });
    return owners;
  }

  // True if a shape or constant that the node is computed from belongs, by a recording, to a module that does
  // not read the node, or if no recording places it. Then that module may have computed the node as well.
  bool made_elsewhere(onnx::NodeId id, const Owners& to) const {
    bool elsewhere = false;
    writers_beyond(id, [&](onnx::NodeId writer) {
      const Attribution& maker = resolution_.nodes[writer];
      if (elsewhere || wiring_.flow(writer) == Flow::data || maker.inferred) return false;
      elsewhere = maker.known()
                      ? std::find(to.modules.begin(), to.modules.end(), maker.module) == to.modules.end()
                      : maker.reason == Reason::ambiguous;
      return !maker.known() && !elsewhere;
    });
    return elsewhere;
  }

  // Sets the reason why the node is unknown. Returns false, for "not attributed".
  bool leave(onnx::NodeId id, Reason reason, Rule rule) {
    resolution_.nodes[id].reason = reason;
    resolution_.nodes[id].rule = rule;
    return false;
  }

  // Always true: the node is attributed.
  bool attribute(onnx::NodeId id, ModuleId module, const Owners& by, Inference inference, Rule rule) {
    Attribution& node = resolution_.nodes[id];
    node.module = module;
    node.source = Source::neighbours;
    node.reason = Reason::none;
    node.rule = rule;
    node.inferred = true;
    node.named = by.all_named && inference != Inference::between;
    node.projected = by.any_projected;
    node.in_order = by.any_in_order;
    node.removed = static_cast<std::uint8_t>(std::min(by.removed + 1, 255));
    node.rest_on(Confidence::basis(inference, by.confidence), by.confidence);
    return true;
  }

  // What an exporter makes for a module (constants, shape arithmetic, the steps of a scripted function)
  // belongs to the module that uses it; if several do, to what they have in common.
  bool from_readers(onnx::NodeId id) {
    const Owners owners = readers(id);
    const bool data = wiring_.flow(id) == Flow::data;
    if (data && owners.modules.empty() && owners.between_layers)
      leave(id, Reason::between_layers, Rule::layer_boundary);
    if (owners.modules.empty() || (owners.any_unknown && !last_) || work_left_ == 0) return false;
    if (data ? stays_open_as_data(id, owners) : stays_open_as_constant(id, owners)) return false;
    return owners.modules.size() == 1 ? from_one_module(id, owners, data) : from_common_module(id, owners);
  }

  // Data has an origin as well as a destination: its readers alone decide only if the origin does not
  // contradict them.
  bool stays_open_as_data(onnx::NodeId id, const Owners& to) {
    if (!to.all_named) return true;  // parameters are weaker evidence: from_both_sides() needs both sides
    if (to.any_projected && !comes_from(id, to)) return true;
    if (!crosses_into(id, to)) return false;
    leave(id, Reason::between_layers, Rule::layer_boundary);
    return true;
  }

  // An alignment is weaker evidence for shapes and constants that are further from the operation they are
  // for.
  bool stays_open_as_constant(onnx::NodeId id, const Owners& to) {
    if (!to.any_projected || (to.removed < most_removed && !made_elsewhere(id, to))) return false;
    leave(id, Reason::ambiguous, Rule::uncertain_wiring);
    return true;
  }

  bool from_one_module(onnx::NodeId id, const Owners& to, bool data) {
    const bool from_afar =
        to.any_projected && model_.node(id).inputs().empty() && !stands_before(to.modules.front());
    const bool scattered = to.any_projected && !to.any_in_order;
    if (from_afar && to.any_in_order) return leave(id, Reason::ambiguous, Rule::uncertain_wiring);
    const Inference inference = !to.all_named ? Inference::by_parameter
                                : data        ? Inference::one_reader
                                : from_afar   ? Inference::from_afar
                                : scattered   ? Inference::out_of_order
                                              : Inference::one_owner;
    return attribute(id, to.modules.front(), to, inference, Rule::consumers);
  }

  bool from_common_module(onnx::NodeId id, const Owners& to) {
    const ModuleId common = tree_.nearest_runnable(to.common);
    std::vector<ModuleId> serves = to.modules;
    const bool root_itself = std::find(serves.begin(), serves.end(), modules::root) != serves.end();
    if ((common == modules::root && !root_itself) || to.any_projected ||
        (!to.all_named && to.layers_differ)) {
      set_modules(resolution_, id, std::move(serves));
      return to.layers_differ ? leave(id, Reason::between_layers, Rule::layer_boundary)
                              : leave(id, Reason::serves_several, Rule::several_consumers);
    }
    const auto own = std::find(serves.begin(), serves.end(), common);
    if (own != serves.end()) serves.erase(own);
    serves.insert(serves.begin(), common);
    set_modules(resolution_, id, std::move(serves));
    return attribute(id, common, to, Inference::common_owner, Rule::common_consumer);
  }

  // Exporters write a constant just before the operation it is for. One that stands elsewhere may have been
  // made for another operation and shared. Matters only for alignments, which rely on the order of the file.
  bool stands_before(ModuleId module) const {
    return next_ == onnx::none || !resolution_.nodes[next_].known() ||
           resolution_.nodes[next_].module == module;
  }

  // A node that no recorded operation was aligned with belongs to its neighbours only if it comes from and
  // goes to the same module.
  bool comes_from(onnx::NodeId id, const Owners& to) const {
    const Owners from = known_writers(id);
    return to.modules.size() == 1 && from.modules == to.modules && work_left_ > 0;
  }

  // Data that comes from one layer and goes to another: the node may be the end of the one or the start of
  // the other.
  bool crosses_into(onnx::NodeId id, const Owners& to) const {
    const Owners from = known_writers(id);
    spend(from.modules.size() * to.modules.size());
    if (work_left_ == 0) return true;  // out of budget: assume that it crosses
    for (const ModuleId a : from.modules)
      for (const ModuleId b : to.modules)
        if (modules::are_in_different_layers(tree_[a].path, tree_[b].path)) return true;
    return false;
  }

  // A node at the end of a module's work belongs to its producer. If only parameters name modules, a node
  // between two nodes of a block belongs to the block.
  bool from_both_sides(onnx::NodeId id) {
    if (wiring_.flow(id) != Flow::data) return false;
    const Owners from = writers(id);
    const Owners to = readers(id);
    if (work_left_ == 0) return false;
    if (is_end_of(from, to))
      return attribute(id, from.modules.front(), from, Inference::producer, Rule::producer);
    if (from.any_projected || to.any_projected) return false;
    if (from.modules.empty() || to.modules.empty() || from.any_unknown || (to.any_unknown && !last_))
      return false;
    if (crosses_into(id, to) || from.layers_differ || to.layers_differ)
      return leave(id, Reason::between_layers, Rule::layer_boundary);
    const ModuleId common = tree_.nearest_runnable(tree_.common_ancestor(from.common, to.common));
    if (common == modules::root) return leave(id, Reason::serves_several, Rule::several_consumers);
    Owners both = from;
    both.confidence = std::min(from.confidence, to.confidence);
    return attribute(id, common, both, Inference::between, Rule::between_modules);
  }

  // Whether no node reads it, and one module, known by name, produced its inputs.
  static bool is_end_of(const Owners& from, const Owners& to) {
    return to.modules.empty() && !to.any_unknown && from.modules.size() == 1 && from.all_named &&
           !from.any_projected;
  }

  const onnx::Model& model_;
  const modules::ModuleTree& tree_;
  const Wiring& wiring_;
  Resolution& resolution_;
  bool last_ = false;
  onnx::NodeId next_ = onnx::none;  // the next node in the file that is no constant
  mutable std::size_t work_left_ = 0;
};

}  // namespace

void propagate(const onnx::Model& model, const modules::ModuleTree& tree, const Wiring& wiring,
               Resolution& resolution) {
  Propagation(model, tree, wiring, resolution).run();
}

void set_modules(Resolution& resolution, onnx::NodeId node, std::vector<ModuleId> modules) {
  std::uint32_t& set = resolution.nodes[node].set;
  if (modules.size() < 2 || resolution.sets[set] == modules) return;
  // Nodes that follow one another often serve the same modules and share a set, so none is changed once it is
  // there.
  if (resolution.sets.back() != modules) resolution.sets.push_back(std::move(modules));
  set = static_cast<std::uint32_t>(resolution.sets.size() - 1);
}

}  // namespace thence::resolve
