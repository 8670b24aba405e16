// The nodes of a model as a sequence, to be aligned with a recording.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "capture/capture.h"
#include "match/align.h"

namespace thence::match {

/// The captured parameters that initializers contain.
struct ParametersByInitializer {
  /// By initializer: parameters of the recording with the same content; several if these are equal.
  std::vector<std::vector<std::uint32_t>> recorded;
  /// By initializer: whether it is a parameter that no step of the recording reads.
  std::vector<bool> is_unread;
};
ParametersByInitializer parameters_by_content(const onnx::Model& model, const capture::Capture& capture,
                                              const capture::Recording& recording);

/// Whether nodes of an operator are aligned.
using OperatorFilter = std::function<bool(std::string_view op)>;

/// Nodes in file order, those of bodies after the node that holds them. Without constants, and without bodies
/// that did not run: a trace has the branch of an `If` that was taken, and not the other one.
std::vector<NodeItem> items_of(const onnx::Model& model, const ParametersByInitializer& parameters,
                               const OperatorFilter& is_aligned);

/// Operators that an exporter is known to emit, or that have the name of a recorded operation.
OperatorFilter emitted_operators(const capture::Recording& recording);

}  // namespace thence::match
