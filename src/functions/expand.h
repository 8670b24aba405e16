// Expands functions: each call becomes the nodes of its function. For functions of any origin; names of nodes
// and values inside the functions are made unique.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "onnx/model.h"
#include "wire/splice.h"

namespace thence::functions {

/// What the nodes of an expanded function have instead of their names in the function.
enum class NodeLabels {
  names,    // unique names
  origins,  // no names, which could be those of another call, but their origins (functions/origin.h)
};

struct Expanded {
  wire::Splice model;
  std::size_t expanded = 0;  // functions
  std::vector<std::string>
      kept;  // functions that were not expanded, because they use other operator versions
};

/// Expands the functions that `is_chosen` selects. The model must outlive the result.
Result<Expanded> expand_functions(const onnx::Model& model,
                                  const std::function<bool(const onnx::Graph&)>& is_chosen,
                                  NodeLabels labels = NodeLabels::names);

}  // namespace thence::functions
