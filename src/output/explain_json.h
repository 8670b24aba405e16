// The parts of an explanation in JSON other than evidence: shapes, work and source lines.
#pragma once

#include "base/json_writer.h"
#include "onnx/model.h"
#include "shapes/infer.h"

namespace thence::output {

/// "shapes":{"inputs":[[1,"batch",null],null],"outputs":[...]},"flops":128
void write_shapes(base::JsonWriter& json, const onnx::Node& node, const shapes::InferredShapes& inferred);
/// "source_lines":[{"file":...,"line":12,"function":...,"code":...}]
void write_source_lines(base::JsonWriter& json, const onnx::Node& node);

}  // namespace thence::output
