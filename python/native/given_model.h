// A model as Python gives it: a path, or bytes that outlive the call.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/pipeline.h"

namespace thence::python {

using MadeMap = std::unique_ptr<Result<semantics::Map>>;

struct GivenModel {
  const std::string& path;
  std::optional<std::string_view> bytes;

  bool is_given() const { return bytes || !path.empty(); }
};

inline GivenModel given_model(const std::string& path, const std::optional<nanobind::bytes>& bytes) {
  if (!bytes) return {path, std::nullopt};
  return {path, std::string_view(bytes->c_str(), bytes->size())};
}

inline MadeMap map_model(const GivenModel& model, const semantics::MapOptions& options) {
  return std::make_unique<Result<semantics::Map>>(model.bytes
                                                      ? pipeline::map_bytes(*model.bytes, "model", options)
                                                      : pipeline::map_file(model.path, options));
}

inline MadeMap map_derived(const semantics::Map& ancestor, const GivenModel& model,
                           const semantics::MapOptions& options) {
  return std::make_unique<Result<semantics::Map>>(
      model.bytes ? pipeline::map_derived_bytes(ancestor, *model.bytes, "model", options)
                  : pipeline::map_derived(ancestor, model.path, options));
}

}  // namespace thence::python
