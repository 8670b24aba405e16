// ModelMap::Impl: the map that a ModelMap shows, and what its answers are computed from.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "dataflow/uses.h"
#include "semantics/map.h"
#include "shapes/infer.h"
#include "weights/traced_chain.h"

#include <thence/map.h>

namespace thence {

struct ModelMap::Impl {
  semantics::Map map;
  std::string capture = {};                        // the path; empty for none
  std::shared_ptr<const Impl> ancestor = nullptr;  // of a transferred map, which refers to it
  // Made on first use.
  mutable std::once_flag shapes_are_inferred = {}, uses_are_listed = {};
  mutable std::optional<shapes::InferredShapes> inferred_shapes = {};
  mutable std::optional<dataflow::Uses> listed_uses = {};

  Impl(semantics::Map made, std::string capture_path, std::shared_ptr<const Impl> made_from)
      : map(std::move(made)), capture(std::move(capture_path)), ancestor(std::move(made_from)) {}

  const shapes::InferredShapes& shapes() const;
  const dataflow::Uses& uses() const;
  /// The weights of this model, traced through its ancestors.
  weights::TracedChain traced_weights() const;
};

namespace api {
semantics::MapOptions map_options(const Options& options);
}

}  // namespace thence
