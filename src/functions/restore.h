// Restores the flat model that `thence fold` folded, byte by byte.
#pragma once

#include <optional>

#include "functions/call_graph.h"
#include "functions/fold_record.h"
#include "wire/splice.h"

namespace thence::functions {

/// The flat model. Empty if the record does not fit the model. The model must outlive the splice.
std::optional<wire::Splice> restore_model(const onnx::Model& model, const CallGraph& calls,
                                          const FoldRecord& record);

}  // namespace thence::functions
