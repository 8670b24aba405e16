// The nodes of a model as a sequence, ready for alignment with a recording.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "capture/capture.h"
#include "match/align.h"

namespace thence::match {

/// For each initializer, the recording's parameters with the same content; several when they are equal.
std::vector<std::vector<std::uint32_t>> parameters_by_content(const onnx::Model& model,
                                                              const capture::Capture& capture,
                                                              const capture::Recording& recording);

/// Nodes in the order of the file, those of bodies where they are held. Constants stay out, and operators
/// that are not taken.
using Takes = std::function<bool(std::string_view op)>;
std::vector<NodeItem> items_of(const onnx::Model& model,
                               const std::vector<std::vector<std::uint32_t>>& parameters, const Takes& takes);

/// Takes what an exporter is known to make of some step, or what is called as one of the recording's is.
Takes known_or_alike(const capture::Recording& recording);

}  // namespace thence::match
