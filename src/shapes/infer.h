// Infers the shapes of a model's values and the work of its nodes, from the file and simple rules. Linear in
// the number of nodes; weight data is never read.
#pragma once

#include <string>
#include <vector>

#include "onnx/model.h"
#include "shapes/inference_context.h"
#include "shapes/size.h"
#include "shapes/values.h"

namespace thence::shapes {

class InferredShapes {
 public:
  InferredShapes(const onnx::Model& model, NamedSizes given)
      : values(model.value_count()),
        sizes(std::move(given)),
        is_unknown_operator(model.node_count()),
        work(model.node_count()) {}

  Values values;
  Sizes sizes;
  std::vector<bool> is_unknown_operator;  // by node
  std::vector<Work> work;                 // by node; the sum over all runs of a function or a repeated body
};

/// `given` has values for sizes that the model only names.
InferredShapes infer(const onnx::Model& model, NamedSizes given = {});

/// "[2, 8, batch]"; "?" if the rank is unknown.
std::string text_of(const Shape& shape, const Sizes& sizes);

}  // namespace thence::shapes
