// A node of the ancestor that several layers share may be several nodes of a derived model, one for each
// layer: each belongs to the layer of its consumers.
#pragma once

#include "evidence/ancestor.h"
#include "pipeline/layer_ids.h"
#include "transfer/origins.h"

namespace thence::pipeline {

/// Where all consumers of a node are in the layer of one of its modules, only that module is its answer.
void settle_shared_answers(const LayerIds& layers, const onnx::Model& derived,
                           const std::vector<transfer::Origin>& origins, evidence::AncestorAnswers& answers);

}  // namespace thence::pipeline
