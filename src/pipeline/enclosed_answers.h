// A rewrite may replace the inside of a module by operations that match nothing in the ancestor. Between
// matched nodes of one module, they still belong to that module.
#pragma once

#include "evidence/ancestor.h"

namespace thence::pipeline {

/// Answers for unmatched nodes all of whose nearest matched producers and consumers belong to the same
/// module.
void answer_enclosed_nodes(const onnx::Model& derived, evidence::AncestorAnswers& answers);

}  // namespace thence::pipeline
