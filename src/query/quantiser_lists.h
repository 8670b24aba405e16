// Lists for quantisers that take more than names of nodes.
#pragma once

#include "query/tool_lists.h"

namespace thence::query {

/// JSON for the op_name_dict of neural-compressor's PostTrainingQuantConfig: the nodes stay in fp32. Its keys
/// are regular expressions.
Result<ToolList> op_name_dict(const onnx::Model& model, std::span<const onnx::NodeId> nodes,
                              const ToolListOptions& options);
/// JSON with the arguments of nncf.IgnoredScope. The names are not validated, because a conversion to another
/// format may have removed some of the nodes.
Result<ToolList> ignored_scope(const onnx::Model& model, std::span<const onnx::NodeId> nodes,
                               const ToolListOptions& options);
/// JSON with the tensors whose quantisers AIMET disables for the nodes: their initializers and their outputs.
Result<ToolList> aimet_quantisers(const onnx::Model& model, std::span<const onnx::NodeId> nodes,
                                  const ToolListOptions& options);

}  // namespace thence::query
