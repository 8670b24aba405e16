// resolve: the only place that decides. Evidence in, one Attribution per node out.
//
// In order: the best evidence of each node; propagation between certain nodes; evidence that propagation
// precedes; function bodies by their call sites; the other modules of a node. Answers of an ancestor were
// decided there and are kept.
#pragma once

#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "evidence/ancestor.h"
#include "evidence/source.h"
#include "hierarchy/hierarchy.h"
#include "modules/class_filter.h"
#include "resolve/attribution.h"
#include "resolve/flow_index.h"
#include "resolve/strategy.h"

namespace thence::resolve {

Resolution resolve(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                   const evidence::Sink& evidence, const FlowIndex& flow_index, const Strategy& strategy,
                   const modules::ClassFilter& filter, const evidence::AncestorAnswers* ancestor = nullptr);

/// The verdict on one node from its direct evidence; `all` in the order of precedence.
struct Verdict {
  Attribution attribution;
  std::vector<ModuleId> modules;  // if there are several: the primary first
};
Verdict decide(const hierarchy::Hierarchy& hierarchy, evidence::SourceSet sources, onnx::NodeId node,
               std::span<const evidence::Evidence> all);

/// All evidence on one node, in the order of precedence.
std::vector<evidence::Evidence> evidence_of(const evidence::Sink& sink, onnx::NodeId node);

}  // namespace thence::resolve
