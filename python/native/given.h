// What Python passes: a model and the options of its map.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/pipeline.h"
#include "semantics/map.h"

namespace thence::python {

/// A model: the path of a file, or bytes, which this object keeps.
class GivenModel {
 public:
  GivenModel(std::string path, std::optional<nanobind::bytes> bytes);

  Result<semantics::Map> map(const semantics::MapOptions& options) const;
  Result<semantics::Map> map_derived(const semantics::Map& ancestor, const semantics::MapOptions& options,
                                     const transfer::Verifier& verifier = {}) const;
  /// A folded model is read as the flat model.
  Result<onnx::Model> open_flat() const;
  Result<onnx::Model> open() const;
  /// As messages name it.
  const std::string& label() const { return label_; }

 private:
  std::string path_, label_;
  std::optional<nanobind::bytes> bytes_;  // keeps what view_ points to
  std::string_view view_;
};

/// Fails if there is no such granularity. Without one, and without a rules file, modules are the model's own.
semantics::MapOptions make_options(const std::string& capture, const std::string& checkpoint,
                                   const std::string& description, const std::string& strategy,
                                   const std::optional<std::vector<std::string>>& exceptions,
                                   const std::string& tag_format, const std::string& rules_file,
                                   const std::string& granularity, bool ignore_tags);

/// thence._core.Model and thence._core.Options.
void add_given(nanobind::module_& module);

}  // namespace thence::python
