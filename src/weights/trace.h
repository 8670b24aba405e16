// trace: the parameters of the live model that each initializer of a file holds.
#pragma once

#include <vector>

#include "semantics/map.h"
#include "weights/weight.h"

namespace thence::weights {

/// In the order of the model's initializers. Reads the content of initializers without a name, if the map has
/// a capture with fingerprints of the live parameters.
std::vector<Weight> trace_weights(const semantics::Map& map);

/// The same for a model that was derived from another: `map` is that of `transfer`. Reads the weights of both
/// to compare them.
std::vector<Weight> trace_weights(const semantics::Map& map, const semantics::Map& ancestor);
/// With the ancestor's weights, which are known already: it may have been derived, too.
std::vector<Weight> trace_weights(const semantics::Map& map, const semantics::Map& ancestor,
                                  std::vector<Weight> ancestor_weights);

/// The initializers whose data is not in the file, or not where the file says.
std::vector<std::size_t> missing_data(const onnx::Model& model);

}  // namespace thence::weights
