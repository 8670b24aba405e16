// Lent: the answers of a model's ancestor, carried over to the nodes that compute the same.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "evidence/source.h"
#include "resolve/attribution.h"
#include "resolve/verification.h"

namespace thence::resolve {

/// Of one node of the descendant.
struct LentAnswer {
  std::uint32_t first_module = 0, module_count = 0;  // in Lent::modules: the primary first; none when unknown
  std::uint32_t first_node = 0, node_count = 0;      // in Lent::nodes: what it computes, likewise
  std::uint32_t call = 0;
  ModuleId weight_owner = no_module;
  float at_most = 1;  // how sure the ancestor's answer is
  evidence::Strength strength = {.statement = evidence::Statement::proof};
  Reason reason = Reason::none;  // why there is no module
};

struct Lent {
  /// The ancestor's, both of which outlive this and every map that is made of it.
  const onnx::Model* ancestor = nullptr;
  const modules::ModuleTree* tree = nullptr;
  std::vector<LentAnswer> answers;  // by node of the descendant
  std::vector<ModuleId> modules;
  std::vector<onnx::NodeId> nodes;
  std::vector<Verification> verifications;  // of each step from the first ancestor on, if it was asked for

  std::span<const ModuleId> modules_of(onnx::NodeId node) const {
    return std::span(modules).subspan(answers[node].first_module, answers[node].module_count);
  }
  std::span<const onnx::NodeId> nodes_of(onnx::NodeId node) const {
    return std::span(nodes).subspan(answers[node].first_node, answers[node].node_count);
  }
};

/// What an ancestor lends to a model.
using Lender = std::function<Result<Lent>(const onnx::Model&)>;

/// Pushes what was lent as evidence.
void collect_transferred(const Lent& lent, evidence::Sink& sink);

/// What is lent with a module besides it; and why a node without one has none.
void complete_lent(const Lent& lent, Resolution& resolution);

}  // namespace thence::resolve
