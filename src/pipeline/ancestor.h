// What the map of an ancestor answers for the nodes of a derived model.
#pragma once

#include "evidence/ancestor.h"
#include "semantics/map.h"
#include "transfer/transfer.h"

namespace thence::pipeline {

/// Joins matched nodes with the ancestor's answers, and appends this verification to earlier ones.
evidence::AncestorAnswers ancestor_answers(const semantics::Map& ancestor, const onnx::Model& derived,
                                           transfer::Matches matches);

}  // namespace thence::pipeline
