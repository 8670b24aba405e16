// DataFiles: the files beside a model that its weights lie in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mapped_file.h"
#include "onnx/model.h"

namespace thence::transfer {

class DataFiles {
 public:
  explicit DataFiles(const onnx::Model& model) : model_(model) {}

  /// So many bytes from where a tensor's data begins. Nothing when there is no such file, when it is too
  /// short, or when it lies outside of the model's folder: a model must not have other files read.
  std::optional<std::string_view> find(const onnx::ExternalData& place, std::uint64_t size);

 private:
  std::string_view bytes_of(std::string_view location);

  const onnx::Model& model_;
  std::unordered_map<std::string, base::MappedFile> files_;  // by location; empty: not to be had
};

}  // namespace thence::transfer
