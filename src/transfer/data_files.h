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
  /// short, or when it lies outside of the model's folder: a model must not have other files read. Nothing,
  /// too, once the tensors of a model have asked for many times what a file holds: tensors that overlap would
  /// have a small model keep the program busy for as long as it likes.
  std::optional<std::string_view> find(const onnx::ExternalData& place, std::uint64_t size);

 private:
  // How often a file may be read in whole. Tensors with the same data share it at most a few times.
  static constexpr std::uint64_t most_readings = 8;
  struct File {
    base::MappedFile bytes;  // empty: not to be had
    std::uint64_t read = 0;  // bytes that were asked for
  };
  File& open(std::string_view location);

  const onnx::Model& model_;
  std::unordered_map<std::string, std::string> paths_;  // by location, which may name one file in many ways
  std::unordered_map<std::string, File> files_;         // by real path; an empty path: not to be had
};

}  // namespace thence::transfer
