#include "resolve/propagate.h"

#include <algorithm>

#include "dataflow/operator_traits.h"
#include "resolve/thresholds.h"

namespace thence::resolve {
namespace {

using evidence::Source;

class Propagation {
 public:
  Propagation(const onnx::Model& model, const modules::ModuleTree& tree, const FlowIndex& flow_index,
              Resolution& resolution)
      : model_(model), tree_(tree), flow_(flow_index), resolution_(resolution) {}

  void run() {
    // Work limit, in proportion to the model: a malicious file gets fewer answers rather than taking too
    // long.
    work_left_ = base_work + work_per_node * model_.node_count();
    for (onnx::NodeId id = 0; id < model_.node_count(); ++id)
      work_left_ += work_per_input * model_.node(id).inputs().size();
    find_surrounding_evidence();
    for (int pass = 0; pass < max_passes; ++pass) {
      is_last_pass_ = pass == max_passes - 1;
      bool changed = false;
      next_with_inputs_ = onnx::none;
      for (onnx::NodeId id = model_.node_count(); id-- > 0;) {
        if (is_open(id) && work_left_ > 0) changed |= attribute_by_consumers(id);
        if (!model_.node(id).inputs().empty()) next_with_inputs_ = id;
      }
      for (onnx::NodeId id = 0; id < model_.node_count(); ++id)
        if (is_open(id) && work_left_ > 0) changed |= attribute_by_both_sides(id);
      if (!changed && is_last_pass_) break;
      // Skip to the last pass, which ignores unattributed consumers.
      if (!changed) pass = max_passes - 2;
    }
  }

 private:
  struct NeighbourModules {
    std::vector<ModuleId> modules;  // distinct, in order of appearance
    ModuleId common = no_module;
    bool any_unknown = false;
    bool between_layers = false;  // an unattributed one lies between layers
    bool all_have_more_than_parameters = true;
    bool any_rests_on_alignment = false;
    bool any_alignment_ordered = false;
    bool layers_differ = false;
    float confidence = 1;  // of the least certain
    int hops = 255;        // from the nearest direct evidence
  };

  // The nearest nodes with evidence of their own before and after each node, if an alignment shows that the
  // file is in order. Without one, answers do not depend on the order of nodes.
  void find_surrounding_evidence() {
    const auto& nodes = resolution_.nodes;
    if (std::none_of(nodes.begin(), nodes.end(), [](const Attribution& node) {
          return node.rests_on_alignment && node.is_alignment_ordered;
        }))
      return;
    before_.assign(nodes.size(), onnx::none);
    after_.assign(nodes.size(), onnx::none);
    onnx::NodeId nearest = onnx::none;
    for (onnx::NodeId id = 0; id < nodes.size(); ++id) {
      before_[id] = nearest;
      if (nodes[id].known()) nearest = id;
    }
    nearest = onnx::none;
    for (auto id = static_cast<onnx::NodeId>(nodes.size()); id-- > 0;) {
      after_[id] = nearest;
      if (nodes[id].known()) nearest = id;
    }
  }

  // Unknown for want of evidence. Other reasons (ambiguous, outside the capture, ...) are final.
  bool is_open(onnx::NodeId id) const {
    const Attribution& node = resolution_.nodes[id];
    return !node.known() && (node.reason == Reason::no_evidence || node.reason == Reason::between_layers ||
                             node.reason == Reason::feeds_several);
  }

  void spend_work(std::size_t work) const { work_left_ -= std::min(work, work_left_); }

  void add(NeighbourModules& neighbours, onnx::NodeId neighbour) const {
    spend_work(1);
    const Attribution& other = resolution_.nodes[neighbour];
    if (!other.known()) {
      neighbours.any_unknown = true;
      neighbours.between_layers |= other.reason == Reason::between_layers;
      return;
    }
    neighbours.all_have_more_than_parameters &= other.has_more_than_parameters;
    neighbours.any_rests_on_alignment |= other.rests_on_alignment;
    neighbours.any_alignment_ordered |= other.is_alignment_ordered;
    neighbours.confidence = std::min(neighbours.confidence, other.confidence);
    neighbours.hops = std::min<int>(neighbours.hops, other.hops_from_evidence);
    if (std::find(neighbours.modules.begin(), neighbours.modules.end(), other.module) !=
        neighbours.modules.end())
      return;
    spend_work(neighbours.modules.size() * (1 + tree_[other.module].path.size() / 128));
    for (const ModuleId module : neighbours.modules)
      neighbours.layers_differ =
          neighbours.layers_differ ||
          modules::are_in_different_layers(tree_[module].path, tree_[other.module].path);
    neighbours.common = neighbours.common == no_module
                            ? other.module
                            : tree_.nearest_common_module(neighbours.common, other.module);
    if (neighbours.modules.size() < max_listed_modules) neighbours.modules.push_back(other.module);
  }

  NeighbourModules modules_of_consumers(onnx::NodeId id) const {
    NeighbourModules neighbours;
    for (const onnx::ValueId value : model_.node(id).outputs()) {
      if (value == onnx::none) continue;
      for (const onnx::NodeId consumer : flow_.uses(value))
        if (consumer != id && work_left_ > 0) add(neighbours, consumer);
    }
    return neighbours;
  }

  NeighbourModules modules_of_producers(onnx::NodeId id) const {
    NeighbourModules neighbours;
    for (const onnx::ValueId value : model_.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model_.producer(value);
      if (producer.kind != onnx::Producer::Kind::node || producer.index == id) continue;
      if (flow_.kind(producer.index) == FlowKind::data) add(neighbours, producer.index);
    }
    return neighbours;
  }

  // Calls `continues_past` for the producers of a node's inputs, and for theirs in turn where it returns
  // true.
  void visit_producers(onnx::NodeId id, const auto& continues_past) const {
    std::vector<onnx::NodeId> seen{id};
    for (std::size_t at = 0; at < seen.size() && seen.size() < max_unattributed_visited; ++at)
      for (const onnx::ValueId value : model_.node(seen[at]).inputs()) {
        spend_work(1 + seen.size() / 16);
        if (value == onnx::none || work_left_ == 0) continue;
        const onnx::Producer producer = model_.producer(value);
        if (producer.kind == onnx::Producer::Kind::node && continues_past(producer.index) &&
            std::find(seen.begin(), seen.end(), producer.index) == seen.end())
          seen.push_back(producer.index);
      }
  }

  // The nearest attributed producers, through unattributed ones.
  NeighbourModules modules_of_nearest_producers(onnx::NodeId id) const {
    NeighbourModules neighbours;
    visit_producers(id, [&](onnx::NodeId producer) {
      if (flow_.kind(producer) != FlowKind::data) return false;
      if (resolution_.nodes[producer].known()) add(neighbours, producer);
      return !resolution_.nodes[producer].known();
    });
    return neighbours;
  }

  // True if a shape or constant that the node is computed from belongs, by direct evidence, to a module that
  // does not read the node, or is ambiguous. Then that module may have computed the node as well.
  bool is_computed_elsewhere(onnx::NodeId id, const NeighbourModules& to) const {
    bool is_elsewhere = false;
    visit_producers(id, [&](onnx::NodeId producer) {
      const Attribution& source = resolution_.nodes[producer];
      if (is_elsewhere || flow_.kind(producer) == FlowKind::data || source.is_inferred) return false;
      is_elsewhere = source.known()
                         ? std::find(to.modules.begin(), to.modules.end(), source.module) == to.modules.end()
                         : source.reason == Reason::ambiguous;
      return !source.known() && !is_elsewhere;
    });
    return is_elsewhere;
  }

  void set_unknown(onnx::NodeId id, Reason reason, DecisionRule rule) {
    resolution_.nodes[id].reason = reason;
    resolution_.nodes[id].rule = rule;
  }

  void attribute(onnx::NodeId id, ModuleId module, const NeighbourModules& by, Inference inference,
                 DecisionRule rule) {
    Attribution& node = resolution_.nodes[id];
    node.module = module;
    node.source = Source::neighbours;
    node.reason = Reason::none;
    node.rule = rule;
    node.is_inferred = true;
    node.has_more_than_parameters = by.all_have_more_than_parameters && inference != Inference::between;
    node.rests_on_alignment = by.any_rests_on_alignment;
    node.is_alignment_ordered = by.any_alignment_ordered;
    node.hops_from_evidence = static_cast<std::uint8_t>(std::min(by.hops + 1, 255));
    node.set_confidence(ConfidenceTable::basis(inference, by.confidence), by.confidence);
  }

  // The functions below return whether they attributed the node.

  // What an exporter makes for a module (constants, shape arithmetic, the steps of a scripted function)
  // belongs to the module that uses it; if several do, to what they have in common.
  bool attribute_by_consumers(onnx::NodeId id) {
    const NeighbourModules neighbours = modules_of_consumers(id);
    const bool is_data = flow_.kind(id) == FlowKind::data;
    if (is_data && neighbours.modules.empty() && neighbours.between_layers)
      set_unknown(id, Reason::between_layers, DecisionRule::layer_boundary);
    if (neighbours.modules.empty() || (neighbours.any_unknown && !is_last_pass_) || work_left_ == 0)
      return false;
    if (is_data ? reject_uncertain_data(id, neighbours) : reject_uncertain_shape_or_constant(id, neighbours))
      return false;
    return neighbours.modules.size() == 1 ? attribute_to_one_module(id, neighbours, is_data)
                                          : attribute_to_common_module(id, neighbours);
  }

  // Data has an origin as well as a destination: its consumers alone decide only if the origin does not
  // contradict them. Returns true, with the reason set, if they do not decide.
  bool reject_uncertain_data(onnx::NodeId id, const NeighbourModules& to) {
    if (!to.all_have_more_than_parameters)
      return true;  // parameters are weaker evidence: attribute_by_both_sides() needs both sides
    if (to.any_rests_on_alignment && !comes_from_same_module(id, to)) return true;
    if (!crosses_layers(id, to)) return false;
    set_unknown(id, Reason::between_layers, DecisionRule::layer_boundary);
    return true;
  }

  // An alignment is weaker evidence for shapes and constants that are further from the operation they are
  // for. Returns true, with the reason set, if the consumers do not decide.
  bool reject_uncertain_shape_or_constant(onnx::NodeId id, const NeighbourModules& to) {
    if (!to.any_rests_on_alignment || (to.hops < max_alignment_hops && !is_computed_elsewhere(id, to)))
      return false;
    set_unknown(id, Reason::ambiguous, DecisionRule::uncertain_connections);
    return true;
  }

  bool attribute_to_one_module(onnx::NodeId id, const NeighbourModules& to, bool is_data) {
    const bool is_away_from_consumer = to.any_rests_on_alignment && model_.node(id).inputs().empty() &&
                                       !precedes_node_of(to.modules.front());
    const bool is_reordered = to.any_rests_on_alignment && !to.any_alignment_ordered;
    if (is_away_from_consumer && to.any_alignment_ordered) {
      set_unknown(id, Reason::ambiguous, DecisionRule::uncertain_connections);
      return false;
    }
    if (stands_in_another_layer(id, to.modules.front())) {
      set_unknown(id, Reason::between_layers, DecisionRule::layer_boundary);
      return false;
    }
    const Inference inference = !to.all_have_more_than_parameters ? Inference::by_parameter
                                : is_data                         ? Inference::data_for_one_module
                                : is_away_from_consumer           ? Inference::distant_constant
                                : is_reordered                    ? Inference::reordered_shape
                                                                  : Inference::shape_for_one_module;
    attribute(id, to.modules.front(), to, inference, DecisionRule::consumers);
    return true;
  }

  bool attribute_to_common_module(onnx::NodeId id, const NeighbourModules& to) {
    const ModuleId common = tree_.nearest_runnable(to.common);
    std::vector<ModuleId> modules = to.modules;
    const bool root_reads_it = std::find(modules.begin(), modules.end(), modules::root) != modules.end();
    if ((common == modules::root && !root_reads_it) || to.any_rests_on_alignment ||
        (!to.all_have_more_than_parameters && to.layers_differ)) {
      set_modules(resolution_, id, std::move(modules));
      if (to.layers_differ)
        set_unknown(id, Reason::between_layers, DecisionRule::layer_boundary);
      else
        set_unknown(id, Reason::feeds_several, DecisionRule::several_consumers);
      return false;
    }
    const auto own = std::find(modules.begin(), modules.end(), common);
    if (own != modules.end()) modules.erase(own);
    modules.insert(modules.begin(), common);
    set_modules(resolution_, id, std::move(modules));
    attribute(id, common, to, Inference::common_module, DecisionRule::common_consumer);
    return true;
  }

  // Exporters write a constant just before the operation it is for. One that stands elsewhere may have been
  // made for another operation and shared. This is checked only for alignments, which rely on the order of
  // the file.
  bool precedes_node_of(ModuleId module) const {
    return next_with_inputs_ == onnx::none || !resolution_.nodes[next_with_inputs_].known() ||
           resolution_.nodes[next_with_inputs_].module == module;
  }

  // Whether a constant stands inside a layer that is not its reader's. It was made for that layer, and equal
  // ones that later layers read were merged with it.
  bool stands_in_another_layer(onnx::NodeId id, ModuleId reader) const {
    if (before_.empty() || !model_.node(id).inputs().empty() || before_[id] == onnx::none ||
        after_[id] == onnx::none)
      return false;
    const std::string_view before = tree_[resolution_.nodes[before_[id]].module].path;
    const std::string_view after = tree_[resolution_.nodes[after_[id]].module].path;
    const std::string_view path = tree_[reader].path;
    spend_work(1 + path.size() / 128);
    return modules::are_in_different_layers(before, path) && modules::are_in_different_layers(after, path) &&
           !modules::are_in_different_layers(before, after);
  }

  // A node that no recorded operation was aligned with belongs to its neighbours only if it comes from and
  // goes to the same module.
  bool comes_from_same_module(onnx::NodeId id, const NeighbourModules& to) const {
    const NeighbourModules from = modules_of_nearest_producers(id);
    return to.modules.size() == 1 && from.modules == to.modules && work_left_ > 0;
  }

  // Data that comes from one layer and goes to another: the node may be the end of the one or the start of
  // the other.
  bool crosses_layers(onnx::NodeId id, const NeighbourModules& to) const {
    const NeighbourModules from = modules_of_nearest_producers(id);
    spend_work(from.modules.size() * to.modules.size());
    if (work_left_ == 0) return true;  // out of budget: assume that it crosses
    for (const ModuleId a : from.modules)
      for (const ModuleId b : to.modules)
        if (modules::are_in_different_layers(tree_[a].path, tree_[b].path)) return true;
    return false;
  }

  // A node at the end of a module's work belongs to its producer. A node whose consumers are known by
  // parameters only (the others were attributed before) and that lies between two nodes of a block belongs to
  // the block.
  bool attribute_by_both_sides(onnx::NodeId id) {
    if (flow_.kind(id) != FlowKind::data) return false;
    const NeighbourModules from = modules_of_producers(id);
    const NeighbourModules to = modules_of_consumers(id);
    if (work_left_ == 0) return false;
    if (is_end_of_module(id, from, to)) {
      attribute(id, from.modules.front(), from, Inference::producer, DecisionRule::producer);
      return true;
    }
    if (from.any_rests_on_alignment || to.any_rests_on_alignment) return false;
    if (from.modules.empty() || to.modules.empty() || from.any_unknown || (to.any_unknown && !is_last_pass_))
      return false;
    if (crosses_layers(id, to) || from.layers_differ || to.layers_differ) {
      set_unknown(id, Reason::between_layers, DecisionRule::layer_boundary);
      return false;
    }
    const ModuleId common = tree_.nearest_runnable(tree_.nearest_common_module(from.common, to.common));
    if (common == modules::root) {
      set_unknown(id, Reason::feeds_several, DecisionRule::several_consumers);
      return false;
    }
    NeighbourModules both = from;
    both.confidence = std::min(from.confidence, to.confidence);
    attribute(id, common, both, Inference::between, DecisionRule::between_modules);
    return true;
  }

  // Whether no node reads it, and one module produced its inputs: known by more than parameters, unless the
  // node only forwards the elements, such as a cast of the output.
  bool is_end_of_module(onnx::NodeId id, const NeighbourModules& from, const NeighbourModules& to) const {
    return to.modules.empty() && !to.any_unknown && from.modules.size() == 1 &&
           (from.all_have_more_than_parameters ||
            dataflow::has_trait(model_.node(id), dataflow::Trait::keeps_elements)) &&
           !from.any_rests_on_alignment;
  }

  const onnx::Model& model_;
  const modules::ModuleTree& tree_;
  const FlowIndex& flow_;
  Resolution& resolution_;
  bool is_last_pass_ = false;
  std::vector<onnx::NodeId> before_, after_;    // by node; empty without an order
  onnx::NodeId next_with_inputs_ = onnx::none;  // the next node in the file that is no constant
  mutable std::size_t work_left_ = 0;
};

}  // namespace

void propagate(const onnx::Model& model, const modules::ModuleTree& tree, const FlowIndex& flow_index,
               Resolution& resolution) {
  Propagation(model, tree, flow_index, resolution).run();
}

void set_modules(Resolution& resolution, onnx::NodeId node, std::vector<ModuleId> modules) {
  std::uint32_t& set = resolution.nodes[node].module_set;
  if (modules.size() < 2 || resolution.module_sets[set] == modules) return;
  // Sets are immutable, because nodes that follow one another often have the same modules and share a set.
  if (resolution.module_sets.back() != modules) resolution.module_sets.push_back(std::move(modules));
  set = static_cast<std::uint32_t>(resolution.module_sets.size() - 1);
}

}  // namespace thence::resolve
