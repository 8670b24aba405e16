#include "edit/places.h"

#include <fnmatch.h>

#include <algorithm>
#include <unordered_map>

#include "edit/calls.h"
#include "hierarchy/folded_call.h"

namespace thence::edit {
namespace {

using modules::ModuleId;
using onnx::NodeId;
using onnx::ValueId;

constexpr CallId nowhere = onnx::none;

class PlaceFinder {
 public:
  PlaceFinder(const semantics::Map& map, const MainGraph& graph, const FoldOptions& options)
      : map_(map), graph_(graph), how_often_(map), folds_(map.tree().size()) {
    const modules::ModuleTree& tree = map.tree();
    for (ModuleId module = 1; module < tree.size(); ++module) {  // outer modules come first
      const Folds& outer = folds_[tree[module].parent];
      const bool wanted =
          options.modules.empty() ||
          fnmatch(options.modules.c_str(), std::string(tree[module].path).c_str(), FNM_NOESCAPE) == 0;
      const bool fits = options.depth == 0 || outer.depth < options.depth;
      const bool folds = wanted && fits && tree.nearest_runnable(module) == module;
      folds_[module] = folds ? Folds{module, outer.as, outer.depth + 1} : outer;
    }
  }

  Places run() {
    place_known();
    place_unknown();
    place_merged();
    place_constants();
    return std::move(places_);
  }

 private:
  struct Folds {
    ModuleId as = modules::root;      // the innermost folded module that is or contains it
    ModuleId around = modules::root;  // the next folded module outwards
    std::uint32_t depth = 0;
  };

  CallId call(ModuleId module, std::uint32_t number) {
    // Go outwards to the first existing call, then add the missing ones.
    std::vector<std::pair<ModuleId, std::uint32_t>> missing;
    CallId found = 0;
    while (module != modules::root) {
      const auto known = known_.find(key(module, number));
      if (known != known_.end()) {
        found = known->second;
        break;
      }
      missing.emplace_back(module, number);
      number = how_often_.around(module, number, folds_[module].around);
      module = folds_[module].around;
    }
    for (; !missing.empty(); missing.pop_back()) {
      const auto [inner, its_number] = missing.back();
      places_.calls.push_back({inner, its_number, found, places_.calls[found].depth + 1});
      found = static_cast<CallId>(places_.calls.size() - 1);
      known_.emplace(key(inner, its_number), found);
    }
    return found;
  }
  static std::uint64_t key(ModuleId module, std::uint32_t number) {
    return static_cast<std::uint64_t>(module) << 32 | number;
  }

  void place_known() {
    places_.of.assign(graph_.size(), nowhere);
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const resolve::Attribution& answer = map_.answer(id);
      if (!answer.known()) continue;
      const ModuleId module = folds_[answer.module].as;
      const CallId place = call(module, how_often_.around(answer.module, answer.call, module));
      // A node that calls a folded function is the module itself, so it belongs to the outer call.
      const bool is_call = graph_.model().node(id).domain() == hierarchy::folded_domain;
      places_.of[id] = is_call ? places_.calls[place].around : place;
    }
  }

  CallId both(CallId a, CallId b) const {
    if (a == nowhere) return b;
    return b == nowhere ? a : places_.common(a, b);
  }

  // The innermost call that contains all consumers of a node. Consumers that are not placed contribute the
  // common call of their own consumers.
  std::vector<CallId> readers() const {
    std::vector<CallId> common(graph_.size(), nowhere);
    for (const ValueId value : graph_.model().graphs().front().outputs)
      if (const NodeId from = graph_.writer(value); from != onnx::none) common[from] = 0;
    for (NodeId id = graph_.size(); id-- > 0;) {
      const CallId here = places_.of[id] != nowhere ? places_.of[id] : common[id];
      graph_.each_read(id, [&](ValueId value) {
        if (const NodeId from = graph_.writer(value); from != onnx::none)
          common[from] = both(common[from], here);
      });
    }
    return common;
  }

  void place_unknown() {
    const std::vector<CallId> after = readers();
    std::vector<CallId> before(graph_.size(), nowhere);
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (places_.of[id] != nowhere) {
        before[id] = places_.of[id];
        continue;
      }
      graph_.each_read(id, [&](ValueId value) {
        const NodeId from = graph_.writer(value);
        if (from != onnx::none)
          before[id] = both(before[id], before[from]);
        else if (graph_.model().producer(value).kind == onnx::Producer::Kind::graph_input)
          before[id] = 0;
      });
    }
    for (NodeId id = 0; id < graph_.size(); ++id)
      if (places_.of[id] == nowhere) {
        const CallId between = both(before[id], after[id]);
        places_.of[id] = between == nowhere ? 0 : between;
      }
  }

  // If several modules compute the same value, an exporter keeps one computation, in the first of them. It is
  // placed around all of them, as far out as its inputs allow.
  void place_merged() {
    std::vector<bool> merged(graph_.size());
    for (NodeId id = 0; id < graph_.size(); ++id) merged[id] = serves_layers(id);
    std::vector<CallId> wanted = places_.of;
    for (NodeId id = graph_.size(); id-- > 0;)
      graph_.each_read(id, [&](ValueId value) {
        const NodeId from = graph_.writer(value);
        if (from != onnx::none && merged[from]) wanted[from] = places_.common(wanted[from], wanted[id]);
      });
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (!merged[id]) continue;
      std::uint32_t depth = places_.calls[wanted[id]].depth;
      graph_.each_read(id, [&](ValueId value) {
        if (const NodeId from = graph_.writer(value); from != onnx::none)
          depth = std::max(depth, places_.calls[places_.common(places_.of[id], places_.of[from])].depth);
      });
      places_.of[id] = places_.at_depth(places_.of[id], depth);
    }
  }

  bool serves_layers(NodeId id) const {
    const resolve::Attribution& answer = map_.answer(id);
    if (!answer.known() || answer.module_set == 0) return false;
    const std::vector<ModuleId> modules = map_.modules_of(id);
    return std::any_of(modules.begin(), modules.end(), [&](ModuleId other) {
      return modules::are_in_different_layers(map_.tree()[answer.module].path, map_.tree()[other].path);
    });
  }

  // Nodes that depend only on constants are placed where all consumers can read them. Nodes that depend on
  // weights are moved only if their own module also reads them: this is true for a weight in another form,
  // but not for an output of a module.
  void place_constants() {
    enum Constness : std::uint8_t { constant, of_weights, varies };
    std::vector<Constness> kind(graph_.size(), constant);
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (graph_.holds_bodies(id)) kind[id] = varies;
      graph_.each_read(id, [&](ValueId value) {
        const NodeId from = graph_.writer(value);
        const bool weight = graph_.model().producer(value).kind == onnx::Producer::Kind::initializer;
        const Constness made_of = weight ? of_weights : varies;
        kind[id] = std::max(kind[id], from != onnx::none ? kind[from] : made_of);
      });
    }
    std::vector<bool> may_move(graph_.size());
    for (NodeId id = 0; id < graph_.size(); ++id) {
      may_move[id] = kind[id] == constant;
      graph_.each_read(id, [&](ValueId value) {
        const NodeId from = graph_.writer(value);
        if (from == onnx::none || kind[from] != of_weights) return;
        const ModuleCall& own = places_.calls[places_.of[from]];
        if (places_.calls[places_.at_depth(places_.of[id], own.depth)].module == own.module)
          may_move[from] = true;
      });
    }
    for (NodeId id = graph_.size(); id-- > 0;)  // consumers are placed before producers
      graph_.each_read(id, [&](ValueId value) {
        if (const NodeId from = graph_.writer(value); from != onnx::none && may_move[from])
          places_.of[from] = places_.common(places_.of[from], places_.of[id]);
      });
  }

  const semantics::Map& map_;
  const MainGraph& graph_;
  const Calls how_often_;
  std::vector<Folds> folds_;  // by module
  std::unordered_map<std::uint64_t, CallId> known_;
  Places places_;
};

}  // namespace

CallId Places::common(CallId a, CallId b) const {
  while (a != b) {
    CallId& deeper = calls[a].depth >= calls[b].depth ? a : b;
    deeper = calls[deeper].around;
  }
  return a;
}

CallId Places::at_depth(CallId inner, std::uint32_t depth) const {
  while (calls[inner].depth > depth) inner = calls[inner].around;
  return inner;
}

Places find_places(const semantics::Map& map, const MainGraph& graph, const FoldOptions& options) {
  return PlaceFinder(map, graph, options).run();
}

}  // namespace thence::edit
