// Shapes of a model's values and the work of its nodes, as far as the file and simple inference tell. Linear
// in the nodes; weights' data is never looked at.
#pragma once

#include <string>
#include <vector>

#include "onnx/model.h"
#include "shapes/call.h"
#include "shapes/size.h"
#include "shapes/values.h"

namespace thence::shapes {

class Inferred {
 public:
  Inferred(const onnx::Model& model, NamedSizes given)
      : values(model.value_count()), sizes(std::move(given)), work(model.node_count()) {}

  Values values;
  Sizes sizes;
  std::vector<Work> work;  // by node; of all its runs, where a function is called or a body repeated
};

/// `given`: numbers for sizes that the model only names.
Inferred infer(const onnx::Model& model, NamedSizes given = {});

/// "2x8xbatch" as "[2, 8, batch]"; "?" when not even the rank is known.
std::string text_of(const Shape& shape, const Sizes& sizes);

}  // namespace thence::shapes
