// AncestorAnswers: the answers of the model that another was derived from, by node of the derived model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evidence/part.h"
#include "evidence/source.h"
#include "evidence/verification.h"

namespace thence::evidence {

/// Why the ancestor names no module for a node.
enum class NoAnswer : std::uint8_t {
  none,                 // it names one
  not_matched,          // no node of the ancestor was matched
  refuted,              // one was, but its numbers differ
  unknown_in_ancestor,  // the matched node has no module there
  ambiguous,            // it matches nodes of several modules
  feeds_several,        // it feeds nodes of several modules
};

/// For one node of the derived model.
struct AncestorAnswer {
  std::uint32_t first_module = 0, module_count = 0;  // in AncestorAnswers::modules: the primary first
  std::uint32_t first_node = 0, node_count = 0;      // in AncestorAnswers::nodes: likewise
  modules::CallNumber call;
  ModuleId weight_owner = modules::no_module;
  float max_confidence = 1;  // that of the ancestor's answer
  Strength strength = {.statement = Statement::proof};
  NoAnswer no_answer = NoAnswer::none;
};

struct AncestorAnswers {
  /// The ancestor's, both of which outlive this and every map that holds it.
  const onnx::Model* model = nullptr;
  const modules::ModuleTree* tree = nullptr;
  std::vector<AncestorAnswer> answers;  // by node of the derived model
  std::vector<ModuleId> modules;
  std::vector<Part> parts;                  // of each of the modules
  std::vector<NodeId> nodes;                // of the ancestor
  bool has_independent_names = false;       // no optimiser made the derived model's names
  std::vector<Verification> verifications;  // of each derivation from the first ancestor on, where requested

  std::span<const ModuleId> modules_of(NodeId node) const {
    return std::span(modules).subspan(answers[node].first_module, answers[node].module_count);
  }
  std::span<const Part> parts_of(NodeId node) const {
    return std::span(parts).subspan(answers[node].first_module, answers[node].module_count);
  }
  std::span<const NodeId> nodes_of(NodeId node) const {
    return std::span(nodes).subspan(answers[node].first_node, answers[node].node_count);
  }
};

}  // namespace thence::evidence
