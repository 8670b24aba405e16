// The rules of decide() about what was recorded: an execution trace and a graph of torch.export. Each returns
// whether it decided.
#pragma once

#include "resolve/rule_input.h"

namespace thence::resolve {

bool graph_of_branches(const RuleInput& input, Verdict& verdict);
bool recordings_conflict_on_node(const RuleInput& input, Verdict& verdict);
bool uncertain_graph(const RuleInput& input, Verdict& verdict);
bool relabelled_alone(const RuleInput& input, Verdict& verdict);
bool recorded_candidate(const RuleInput& input, Verdict& verdict);
bool recorded_layer(const RuleInput& input, Verdict& verdict);
bool recorded_module(const RuleInput& input, Verdict& verdict);
bool graph_over_trace(const RuleInput& input, Verdict& verdict);

}  // namespace thence::resolve
