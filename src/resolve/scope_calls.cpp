#include "resolve/scope_calls.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "resolve/thresholds.h"

namespace thence::resolve {
namespace {

using hierarchy::ScopeId;
using onnx::NodeId;

// The scope in the node's name, if it names the module that was decided.
ScopeId scope_of_answer(const hierarchy::ScopeIndex& scopes, NodeId id, const Attribution& answer) {
  const ScopeId scope = scopes.scope_in_name(id);
  const bool is_answer = scope != hierarchy::no_scope && answer.known() && !scopes.is_outer(id) &&
                         answer.source != evidence::Source::transferred &&
                         scopes[scope].matches.size() == 1 &&
                         scopes[scope].matches.front().module == answer.module;
  return is_answer ? scope : hierarchy::no_scope;
}

// The calls of scopes, by what their nodes say. Exporters write the number of a call behind the innermost
// scope only: `/layer/fc_1` is in the second call of `/layer`, which is `/layer_1` in the names of its own
// nodes.
class ScopeCalls {
 public:
  explicit ScopeCalls(const hierarchy::Hierarchy& hierarchy)
      : scopes_(hierarchy.scopes()), tree_(hierarchy.tree()), is_doubtful_(tree_.size(), false) {}

  // Of the scope, and of those around it whose modules run in the same calls.
  void add(ScopeId scope, std::uint32_t call) {
    const ModuleId module = module_of(scope);
    const std::string_view base = hierarchy::component_without_number(scopes_[scope]);
    const std::string_view text = scopes_[scope].text;
    const std::size_t numbered = base.empty() ? 0 : scopes_[scope].component.size() - base.size();
    const std::string_view number = text.substr(text.size() - numbered);
    add(text.substr(0, text.size() - numbered), number, module, call);
    std::size_t levels = 0;
    for (ScopeId inner = scope, outer = scopes_[scope].outer;
         outer != hierarchy::no_scope && levels < max_compared_scopes && run_together(inner, outer);
         outer = scopes_[inner].outer, ++levels) {
      add(scopes_[outer].text, number, module, call);
      inner = outer;
    }
  }

  bool is_doubtful(ModuleId module) const { return is_doubtful_[module]; }

 private:
  struct Call {
    std::uint32_t number;
    ModuleId module;  // whose nodes it is of
  };

  ModuleId module_of(ScopeId scope) const {
    return scopes_[scope].matches.size() == 1 ? scopes_[scope].matches.front().module : no_module;
  }

  bool run_together(ScopeId inner, ScopeId outer) const {
    const ModuleId inside = module_of(inner), around = module_of(outer);
    return inside != no_module && around != no_module && tree_[inside].calls.value_or(0) > 1 &&
           tree_[inside].calls == tree_[around].calls && tree_.is_within(inside, around);
  }

  void add(std::string_view scope, std::string_view number, ModuleId module, std::uint32_t call) {
    const Call& known = calls_.try_emplace({scope, number}, Call{call, module}).first->second;
    if (known.number != call) is_doubtful_[module] = is_doubtful_[known.module] = true;
  }

  const hierarchy::ScopeIndex& scopes_;
  const modules::ModuleTree& tree_;
  std::map<std::pair<std::string_view, std::string_view>, Call> calls_;  // by scope and number
  std::vector<bool> is_doubtful_;                                        // by module
};

}  // namespace

void remove_calls_that_split_scopes(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                                    Resolution& resolution) {
  ScopeCalls calls(hierarchy);
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const Attribution& answer = resolution.nodes[id];
    const ScopeId scope = scope_of_answer(hierarchy.scopes(), id, answer);
    if (scope != hierarchy::no_scope && answer.call()) calls.add(scope, *answer.call());
  }
  for (Attribution& answer : resolution.nodes)
    if (answer.known() && calls.is_doubtful(answer.module) && answer.source != evidence::Source::transferred)
      answer.set_call({});
}

}  // namespace thence::resolve
