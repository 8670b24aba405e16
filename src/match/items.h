// The nodes of a model as a sequence, to be aligned with a recording.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "capture/capture.h"
#include "match/align.h"

namespace thence::match {

/// By initializer: parameters of the recording.
using ParametersByInitializer = std::vector<std::vector<std::uint32_t>>;

/// Those with the same content; several if their contents are equal.
ParametersByInitializer parameters_by_content(const onnx::Model& model, const capture::Capture& capture,
                                              const capture::Recording& recording);

/// Whether nodes of an operator are aligned.
using OperatorFilter = std::function<bool(std::string_view op)>;

/// Nodes in file order, those of bodies after the node that holds them. Without constants.
std::vector<NodeItem> items_of(const onnx::Model& model, const ParametersByInitializer& parameters,
                               const OperatorFilter& is_aligned);

/// Operators that an exporter is known to emit, or that have the name of a recorded operation.
OperatorFilter emitted_operators(const capture::Recording& recording);

}  // namespace thence::match
