#include "resolve/scope_calls.h"

#include <cstdint>
#include <vector>

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

}  // namespace

void remove_calls_that_split_scopes(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                                    Resolution& resolution) {
  const hierarchy::ScopeIndex& scopes = hierarchy.scopes();
  std::vector<modules::CallNumber> calls(scopes.size());
  std::vector<bool> is_doubtful(hierarchy.tree().size(), false);
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const Attribution& answer = resolution.nodes[id];
    const ScopeId scope = scope_of_answer(scopes, id, answer);
    if (scope == hierarchy::no_scope || !answer.call()) continue;
    if (calls[scope] && *calls[scope] != *answer.call()) is_doubtful[answer.module] = true;
    calls[scope] = answer.call();
  }
  for (Attribution& answer : resolution.nodes)
    if (answer.known() && is_doubtful[answer.module] && answer.source != evidence::Source::transferred)
      answer.set_call({});
}

}  // namespace thence::resolve
