#include "resolve/expanded_calls.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include "functions/origin.h"
#include "resolve/propagate.h"
#include "resolve/thresholds.h"

namespace thence::resolve {
namespace {

using modules::ModuleTree;
using onnx::NodeId;

// What is known of one node of a function, over all calls.
struct Instances {
  std::vector<ModuleId> modules;
  Attribution answer;  // of the least certain instance that has a module
  std::size_t known = 0, all = 0;

  void add(const Attribution& instance) {
    ++all;
    if (!instance.known()) return;
    const bool is_other_call = known > 0 && instance.call() != answer.call();
    if (known++ == 0 || instance.confidence < answer.confidence) answer = instance;
    if (is_other_call) answer.set_call({});
    if (modules.size() < max_listed_modules &&
        std::find(modules.begin(), modules.end(), instance.module) == modules.end())
      modules.push_back(instance.module);
  }
};

// One instance of a call inside a function: the nearest module around all of its nodes.
struct CallInstance {
  NodeId call = onnx::none;
  Attribution answer;

  void add(const ModuleTree& tree, const Attribution& node) {
    if (!node.known()) return;
    if (!answer.known()) {
      answer = node;
      return;
    }
    answer.module = tree.nearest_common_module(answer.module, node.module);
    answer.confidence = std::min(answer.confidence, node.confidence);
  }
};

class ExpandedAnswers {
 public:
  ExpandedAnswers(const onnx::Model& model, const ModuleTree& tree) : model_(model), tree_(tree) {
    for (const onnx::Graph& graph : model.graphs())
      if (graph.kind == onnx::Graph::Kind::function) first_ = std::min(first_, graph.first_node);
    if (first_ < model.node_count()) nodes_.resize(model.node_count() - first_);
  }

  void add(std::string_view origin, const ExpandedModel& expanded, NodeId node,
           const Resolution& resolution) {
    if (!is_in_function(read_id(origin.substr(origin.rfind('.') + 1)))) return;
    Attribution answer = translate(expanded, node);
    // What is inferred from neighbours may come from outside of the call.
    const ModuleId caller = module_of_call(origin, resolution);
    if (answer.is_inferred && answer.known() && caller != no_module &&
        !tree_.is_within(answer.module, caller))
      answer = Attribution{};
    std::size_t end = 0;
    bool is_outermost = true;
    while (end < origin.size()) {
      end = std::min(origin.find('.', end + 1), origin.size());
      const std::string_view chain = origin.substr(0, end);
      const NodeId id = read_id(chain.substr(chain.rfind('.') + 1));
      if (end == origin.size()) {
        nodes_[id - first_].add(answer);
      } else if (!is_outermost && is_in_function(id)) {
        CallInstance& instance = calls_[std::string(chain)];
        instance.call = id;
        instance.add(tree_, answer);
      }
      is_outermost = false;
    }
  }

  void apply(Resolution& resolution) {
    for (auto& [chain, instance] : calls_) nodes_[instance.call - first_].add(called_module(instance));
    for (NodeId id = first_; id < model_.node_count(); ++id)
      if (Instances& instances = nodes_[id - first_]; instances.known > 0)
        set_answer(id, instances, resolution);
  }

 private:
  // An answer in terms of the modules of the model with functions.
  Attribution translate(const ExpandedModel& expanded, NodeId node) const {
    Attribution answer = expanded.resolution.nodes[node];
    const auto find = [&](ModuleId module) {
      return module == no_module ? no_module : tree_.find(expanded.tree[module].path);
    };
    answer.module = find(answer.module);
    answer.weight_owner = find(answer.weight_owner);
    answer.computing = find(answer.computing);
    if (!answer.known()) answer = Attribution{};
    answer.module_set = 0;
    return answer;
  }

  static NodeId read_id(std::string_view digits) {
    NodeId id = onnx::none;
    std::from_chars(digits.data(), digits.data() + digits.size(), id);
    return id;
  }

  // The module of the outermost call, if it is stated in the model with functions.
  ModuleId module_of_call(std::string_view origin, const Resolution& resolution) const {
    const NodeId call = read_id(origin.substr(0, origin.find('.')));
    if (call >= model_.node_count()) return no_module;
    const Attribution& answer = resolution.nodes[call];
    return answer.is_inferred || answer.source == evidence::Source::function ? no_module : answer.module;
  }

  bool is_in_function(NodeId id) const { return id >= first_ && id < model_.node_count(); }

  // A module is called, and none of its nodes need be its own: it is the nearest one around them of the
  // function's class.
  Attribution called_module(const CallInstance& instance) const {
    Attribution answer = instance.answer;
    if (!answer.known()) return answer;
    for (ModuleId at = answer.module; at != modules::root; at = tree_[at].parent)
      if (modules::short_class(tree_[at].class_name) == model_.node(instance.call).op_type()) {
        answer.module = at;
        break;
      }
    if (answer.module == modules::root) return Attribution{};
    answer.weight_owner = answer.computing = no_module;
    answer.set_call({});
    answer.set_confidence(ConfidenceTable::basis(Inference::called, answer.confidence), answer.confidence);
    return answer;
  }

  static void set_answer(NodeId id, Instances& instances, Resolution& resolution) {
    Attribution& node = resolution.nodes[id];
    if (node.source == evidence::Source::tags && node.known()) return;
    const bool is_one = instances.modules.size() == 1 && instances.known == instances.all;
    if (is_one) {
      node = instances.answer;
    } else {
      node = Attribution{};
      node.reason = Reason::several_call_sites;
      node.source = evidence::Source::count;
    }
    resolution.parts.erase(id);
    node.rule = DecisionRule::expanded_calls;
    set_modules(resolution, id, is_one ? std::vector<ModuleId>{} : std::move(instances.modules));
  }

  const onnx::Model& model_;
  const ModuleTree& tree_;
  NodeId first_ = onnx::none;  // of all functions: they follow the main graph and its bodies
  std::vector<Instances> nodes_;
  std::map<std::string, CallInstance> calls_;  // by the ids of the calls
};

}  // namespace

void apply_expanded_calls(const ExpandedModel& expanded, const onnx::Model& model, const ModuleTree& tree,
                          Resolution& resolution) {
  ExpandedAnswers answers(model, tree);
  for (NodeId id = 0; id < expanded.model.node_count(); ++id)
    if (const std::string_view origin = functions::origin_of(expanded.model.node(id)); !origin.empty())
      answers.add(origin, expanded, id, resolution);
  answers.apply(resolution);
}

}  // namespace thence::resolve
