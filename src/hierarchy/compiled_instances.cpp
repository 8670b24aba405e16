#include "hierarchy/compiled_instances.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/text_hash.h"
#include "hierarchy/limits.h"

namespace thence::hierarchy {
namespace {

using onnx::NodeId;

constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15;  // odd, so that every parameter changes the hash

/// One run of a module's code: the nodes of a scope and its inner scopes in one graph, and in the bodies of
/// these nodes. Branches that call the same module have the same scope.
struct Run {
  ScopeId scope = no_scope;
  ModuleId module = no_module;
  bool has_inner_scopes = false;
  ModuleId inside = no_module;   // the first module inside whose parameter is read, and
  bool reads_several = false;    // whether parameters of others are read
  std::uint64_t parameters = 0;  // a hash of the paths of what is read, relative to the module
  bool has_body = false;         // only compiled code has bodies
  bool is_compared = false;      // its nodes are needed
  std::vector<NodeId> nodes;

  bool is_instance() const { return !has_inner_scopes && reads_several; }
};

class InstanceMatcher {
 public:
  InstanceMatcher(const onnx::Model& model, ModuleTree& tree, const Scopes& scopes,
                  const std::vector<ScopeId>& name_scopes, const std::vector<ParameterOwner>& parameters)
      : model_(model), tree_(tree), scopes_(scopes), name_scopes_(name_scopes), parameters_(parameters) {}

  std::unordered_map<NodeId, ModuleId> run() {
    if (!may_have_instances()) return {};
    owners_.resize(model_.node_count());
    for (NodeId id = 0; id < model_.node_count(); ++id) owners_[id] = find_owner(id);
    find_runs();
    collect_nodes();
    std::vector<const Run*> instances;
    for (const auto& [key, run] : runs_)
      if (run.is_instance()) instances.push_back(&run);
    // Smaller instances first: they are parts of the examples of larger ones. Then in a fixed order.
    std::sort(instances.begin(), instances.end(), [](const Run* a, const Run* b) {
      return std::pair(a->nodes.size(), a->nodes.front()) < std::pair(b->nodes.size(), b->nodes.front());
    });
    for (const Run* instance : instances)
      if (instance->has_body)
        for (const NodeId node : instance->nodes) found_[node] = no_module;
    for (const Run* instance : instances) match(*instance);
    return std::move(found_);
  }

 private:
  // Only compiled code has bodies, and few files have any.
  bool may_have_instances() const {
    return std::any_of(model_.graphs().begin(), model_.graphs().end(),
                       [](const onnx::Graph& graph) { return graph.kind == onnx::Graph::Kind::body; });
  }

  ModuleId module_of(ScopeId scope) const {
    return scopes_[scope].matches.size() == 1 ? scopes_[scope].matches.front().module : no_module;
  }

  // The owner of the first parameter that the node reads, also if it reads a copy.
  ModuleId find_owner(NodeId node) const {
    for (const onnx::ValueId input : model_.node(node).inputs()) {
      if (input == onnx::none) continue;
      onnx::Producer producer = model_.producer(input);
      if (producer.kind == onnx::Producer::Kind::node) {
        const onnx::Node copy = model_.node(producer.index);
        if (copy.op_type() != "Identity" || copy.inputs().empty() || copy.inputs()[0] == onnx::none) continue;
        producer = model_.producer(copy.inputs()[0]);
      }
      if (producer.kind != onnx::Producer::Kind::initializer) continue;
      if (parameters_[producer.index].module != no_module) return parameters_[producer.index].module;
    }
    return no_module;
  }

  bool is_inside(ScopeId inner, ScopeId outer) const {
    const std::string_view text = scopes_[inner].text, around = scopes_[outer].text;
    return text.starts_with(around) && (text.size() == around.size() || text[around.size()] == '/');
  }

  // Calls visit(run) for each run that the node is part of, from the innermost scope outwards. The graph of a
  // run is the outermost one whose owner is in the scope.
  template <typename Visit>
  void for_each_run(NodeId node, Visit visit) {
    if (name_scopes_[node] == no_scope) return;
    onnx::GraphId graph = model_.node(node).graph();
    for (ScopeId scope = name_scopes_[node]; scope != no_scope; scope = scopes_[scope].outer) {
      for (NodeId owner = model_.graphs()[graph].owner;
           owner != onnx::none && name_scopes_[owner] != no_scope && is_inside(name_scopes_[owner], scope);
           owner = model_.graphs()[graph].owner)
        graph = model_.graphs()[graph].parent;
      visit(scope, graph);
    }
  }

  void find_runs() {
    const std::uint64_t seed = base::process_seed();
    for (NodeId id = 0; id < model_.node_count(); ++id) {
      for_each_run(id, [&](ScopeId scope, onnx::GraphId graph) {
        Run& run = runs_[{scope, graph}];
        if (run.scope == no_scope) run = {.scope = scope, .module = module_of(scope)};
        run.has_inner_scopes |= scope != name_scopes_[id];
        run.has_body |= model_.graphs()[model_.node(id).graph()].kind == onnx::Graph::Kind::body;
        std::string_view path;
        if (!path_inside(owners_[id], run.module, path)) return;
        run.parameters = run.parameters * multiplier + base::text_hash(path, seed);
        if (path.empty()) return;
        if (run.inside == no_module) run.inside = owners_[id];
        run.reads_several |= run.inside != owners_[id];
      });
    }
  }

  // The nodes of instances, and of the runs with which they are compared.
  void collect_nodes() {
    for (auto& [key, run] : runs_)
      if (run.is_instance()) examples_[run.parameters];
    for (auto& [key, run] : runs_) {
      run.is_compared = run.is_instance();
      const auto examples = examples_.find(run.parameters);
      if (!run.has_inner_scopes || !run.reads_several || examples == examples_.end()) continue;
      if (examples->second.size() == most_examples) continue;
      examples->second.push_back(&run);
      run.is_compared = true;
    }
    for (NodeId id = 0; id < model_.node_count(); ++id)
      for_each_run(id, [&](ScopeId scope, onnx::GraphId graph) {
        if (Run& run = runs_[{scope, graph}]; run.is_compared) run.nodes.push_back(id);
      });
  }

  // The path of a module relative to another; false if it is not inside.
  bool path_inside(ModuleId inner, ModuleId outer, std::string_view& path) const {
    if (inner == no_module || outer == no_module || !tree_.is_within(inner, outer)) return false;
    path = std::string_view(tree_[inner].path).substr(tree_[outer].path.size());
    if (path.starts_with('.')) path.remove_prefix(1);
    return true;
  }

  bool reads_parameter_inside(NodeId node, const Run& run) const {
    return owners_[node] != no_module && tree_.is_within(owners_[node], run.module);
  }

  void match(const Run& instance) {
    std::vector<ModuleId> modules(instance.nodes.size(), no_module);
    std::vector<bool> is_disputed(instance.nodes.size());
    for (const Run* example : examples_[instance.parameters]) {
      const std::vector<NodeId> theirs = align(instance, *example);
      for (std::size_t at = 0; at < theirs.size(); ++at) {
        std::string_view path;
        if (theirs[at] == onnx::none || !path_inside(module_of_node(theirs[at]), example->module, path))
          continue;
        const ModuleId module = find_inside(instance.module, path);
        if (modules[at] != no_module && modules[at] != module) is_disputed[at] = true;
        modules[at] = module;
      }
    }
    if (std::any_of(modules.begin(), modules.end(), [](ModuleId module) { return module != no_module; }))
      fill_gaps(modules, instance.module);
    for (std::size_t at = 0; at < modules.size(); ++at)
      if (!is_disputed[at] && modules[at] != no_module) found_[instance.nodes[at]] = modules[at];
  }

  ModuleId module_of_node(NodeId node) const {
    const auto found = found_.find(node);
    return found != found_.end() ? found->second : module_of(name_scopes_[node]);
  }

  // By node of the instance: the node of the example. Shape computations may differ, because an exporter
  // folds those whose shapes it knows; so what reads no parameter is aligned between the nodes that do.
  std::vector<NodeId> align(const Run& instance, const Run& example) const {
    std::vector<NodeId> aligned(instance.nodes.size(), onnx::none);
    std::size_t ours = 0, theirs = 0;
    while (true) {
      const auto next = [&](const Run& run, std::size_t from) {
        while (from < run.nodes.size() && !reads_parameter_inside(run.nodes[from], run)) ++from;
        return from;
      };
      const std::size_t our_end = next(instance, ours), their_end = next(example, theirs);
      const bool is_end = our_end == instance.nodes.size();
      if (is_end != (their_end == example.nodes.size())) return {};
      align_segment(std::span(instance.nodes).subspan(ours, our_end - ours),
                    std::span(example.nodes).subspan(theirs, their_end - theirs), aligned.data() + ours);
      if (is_end) return aligned;
      if (!is_same_read(instance.nodes[our_end], instance, example.nodes[their_end], example)) return {};
      aligned[our_end] = example.nodes[their_end];
      ours = our_end + 1, theirs = their_end + 1;
    }
  }

  bool is_same_read(NodeId ours, const Run& instance, NodeId theirs, const Run& example) const {
    std::string_view our_path, their_path;
    return path_inside(owners_[ours], instance.module, our_path) &&
           path_inside(owners_[theirs], example.module, their_path) && our_path == their_path &&
           model_.node(ours).op_type() == model_.node(theirs).op_type();
  }

  // A longest common subsequence of the operators.
  void align_segment(std::span<const NodeId> ours, std::span<const NodeId> theirs, NodeId* aligned) const {
    if (ours.empty() || theirs.empty() || ours.size() > most_compared_nodes / theirs.size()) return;
    const auto is_same = [&](std::size_t i, std::size_t j) {
      return model_.node(ours[i]).op_type() == model_.node(theirs[j]).op_type();
    };
    const std::size_t width = theirs.size() + 1;
    std::vector<std::uint32_t> length((ours.size() + 1) * width);  // of the rest from i and j on
    for (std::size_t i = ours.size(); i-- > 0;)
      for (std::size_t j = theirs.size(); j-- > 0;)
        length[i * width + j] = is_same(i, j)
                                    ? length[(i + 1) * width + j + 1] + 1
                                    : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
    for (std::size_t i = 0, j = 0; i < ours.size() && j < theirs.size();) {
      if (is_same(i, j))
        aligned[i++] = theirs[j++];
      else
        ++(length[(i + 1) * width + j] >= length[i * width + j + 1] ? i : j);
    }
  }

  // What only this instance has between two nodes of one module is a shape computation of that module. Before
  // the first node and after the last one, the code of the instance itself runs.
  static void fill_gaps(std::vector<ModuleId>& modules, ModuleId outside) {
    ModuleId before = outside;
    for (std::size_t at = 0; at < modules.size(); ++at) {
      std::size_t end = at;
      while (end < modules.size() && modules[end] == no_module) ++end;
      const ModuleId after = end == modules.size() ? outside : modules[end];
      if (before == after) std::fill(modules.begin() + at, modules.begin() + end, after);
      before = after;
      at = end;
    }
  }

  ModuleId find_inside(ModuleId outer, std::string_view inside) {
    if (inside.empty()) return outer;
    std::string path(tree_[outer].path);
    if (!path.empty()) path += '.';
    path += inside;
    const ModuleId found = tree_.find_as_called(path);
    return found != no_module || tree_.is_complete_at(path) ? found : tree_.add(path);
  }

  const onnx::Model& model_;
  ModuleTree& tree_;
  const Scopes& scopes_;
  const std::vector<ScopeId>& name_scopes_;
  const std::vector<ParameterOwner>& parameters_;
  std::vector<ModuleId> owners_;  // by node: the owner of the parameter that it reads
  std::map<std::pair<ScopeId, onnx::GraphId>, Run> runs_;
  std::unordered_map<std::uint64_t, std::vector<const Run*>> examples_;  // by the parameters they read
  std::unordered_map<NodeId, ModuleId> found_;
};

}  // namespace

std::unordered_map<NodeId, ModuleId> match_compiled_instances(const onnx::Model& model, ModuleTree& tree,
                                                              const Scopes& scopes,
                                                              const std::vector<ScopeId>& name_scopes,
                                                              const std::vector<ParameterOwner>& parameters) {
  return InstanceMatcher(model, tree, scopes, name_scopes, parameters).run();
}

}  // namespace thence::hierarchy
