// Rule: what decided a node's answer. `decide` applies an ordered table of rules to the node's own evidence;
// propagation, functions and the class filter answer for nodes whose own evidence decides nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace thence::resolve {

enum class DecisionRule : std::uint8_t {
  // Rules of decide(), in the order in which they are tried:
  outside_capture,
  module_limit,
  unresolved_stack,
  no_evidence,
  ancestor_answer,
  weight_held,
  graph_of_branches,
  recordings_conflict,
  uncertain_graph,
  relabelled_alone,
  recorded_candidate,
  several_candidates,
  inside_scope,
  called_module,
  fused_output,
  recorded_layer,
  recorded_module,
  graph_over_trace,
  weight_of_merged,
  parameter_read,
  strongest_source,
  // Rules of propagate(), for nodes without direct evidence:
  consumers,
  common_consumer,
  between_modules,
  producer,
  layer_boundary,
  several_consumers,
  uncertain_connections,
  same_operation,
  // Of function bodies, and of the class filter:
  call_sites,
  expanded_calls,
  class_filter,
  count,
};
inline constexpr std::size_t decision_rule_count = static_cast<std::size_t>(DecisionRule::count);

/// As printed in JSON, and as a sentence.
std::string_view name_of(DecisionRule rule);
std::string_view text_of(DecisionRule rule);

}  // namespace thence::resolve
