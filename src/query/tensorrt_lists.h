// Lists of layers for TensorRT.
#pragma once

#include "query/tool_lists.h"

namespace thence::query {

/// For trtexec --layerPrecisions: NAME:PRECISION,...
Result<ToolList> tensorrt_precisions(const onnx::Model& model, std::span<const onnx::NodeId> nodes,
                                     const ToolListOptions& options);
/// JSON with the names of the layers, as the ONNX parser of TensorRT gives them.
Result<ToolList> tensorrt_names(const onnx::Model& model, std::span<const onnx::NodeId> nodes,
                                const ToolListOptions& options);

}  // namespace thence::query
