// The nodes of a model as a sequence, ready for alignment with a recording.
#pragma once

#include <vector>

#include "hierarchy/capture.h"
#include "match/align.h"

namespace thence::match {

/// For each initializer, the recording's parameters with the same content; several when they are equal.
std::vector<std::vector<std::uint32_t>> parameters_by_content(const onnx::Model& model,
                                                              const hierarchy::Capture& capture,
                                                              const hierarchy::Recording& recording);

/// Nodes in the order of the file, those of bodies where they are held. Constants and operators that no
/// exporter makes of a step stay out.
std::vector<NodeItem> items_of(const onnx::Model& model,
                               const std::vector<std::vector<std::uint32_t>>& parameters);

}  // namespace thence::match
