// ModelRecord: what thence wrote into the metadata of a tagged model about the live model. Its modules in the
// order of registration, its parameters, and those that each initializer holds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/capture.h"
#include "onnx/model.h"

namespace thence::hierarchy {

/// The key in the model's metadata. The value has the format of a capture, with a list of initializers.
inline constexpr std::string_view model_record_key = "pkg.thence.hierarchy";

struct RecordedInitializer {
  std::vector<std::int64_t> dims;  // when it was tagged
  std::string transform;
  std::vector<std::string> parameters;
};

struct ModelRecord {
  modules::ModuleTree tree;
  std::vector<capture::CapturedParameter> parameters;
  std::unordered_map<std::string, RecordedInitializer> initializers;  // by name
};

/// Nothing if the model has none, or if it cannot be read: it is only evidence.
std::optional<ModelRecord> read_model_record(const onnx::Model& model);

}  // namespace thence::hierarchy
