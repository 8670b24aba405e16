// Two small models to be matched, with questions by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dataflow/noops.h"
#include "graph_parts.h"
#include "transfer/match_state.h"
#include "transfer/origins.h"

namespace thence::test {

struct ModelPair {
  ModelPair(const Message& before, const Message& after)
      : ancestor(before, operators),
        weights(ancestor.values.constants()),
        descendant(after, operators, &weights) {
    dataflow::find_noops(ancestor.values, descendant.values);
    dataflow::find_noops(descendant.values, ancestor.values);
  }

  transfer::ValueMatching match() const { return transfer::match_values(ancestor.values, descendant.values); }
  std::vector<transfer::Origin> origins() const {
    return transfer::origins_of(ancestor.values, descendant.values, match());
  }
  /// The name of the partner of a value of the descendant.
  std::string partner(const transfer::ValueMatching& matching, std::string_view ours) const {
    return ancestor.name(matching.partners[descendant.canonical(ours)]);
  }
  std::string partner(const transfer::MatchState& state, std::string_view ours) const {
    return ancestor.name(state.partner(descendant.canonical(ours)));
  }
  /// The operators of some operations of the ancestor.
  std::vector<std::string> ops(const std::vector<dataflow::OperationId>& operations) const {
    return ops_of(ancestor.values, operations);
  }
  static std::vector<std::string> ops_of(const dataflow::ValueGraph& graph,
                                         const std::vector<dataflow::OperationId>& operations) {
    std::vector<std::string> found;
    for (const dataflow::OperationId id : operations)
      found.emplace_back(graph.op(graph.operation(id).node).name);
    return found;
  }

  dataflow::OperatorIds operators;
  GraphOf ancestor;
  dataflow::WeightMatcher weights;
  GraphOf descendant;
};

/// A state in which nothing but the graph inputs of the same name is matched.
struct MatchedPair : ModelPair {
  MatchedPair(const Message& before, const Message& after)
      : ModelPair(before, after), state(ancestor.values, descendant.values) {}

  void add_match(std::string_view ours, std::string_view theirs) {
    state.add_match(descendant.canonical(ours), ancestor.canonical(theirs), transfer::Proof::inputs);
  }
  std::string partner(std::string_view ours) const { return ModelPair::partner(state, ours); }
  transfer::Proof proof(std::string_view ours) const { return state.proof(descendant.canonical(ours)); }
  /// Runs one matcher on the operation that writes a value.
  bool run(bool (*matcher)(transfer::MatchState&, dataflow::OperationId), std::string_view ours) {
    return matcher(state, descendant.producer(ours));
  }

  transfer::MatchState state;
};

}  // namespace thence::test
