// DataFiles: the external data files that hold weights of a model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mapped_file.h"
#include "onnx/model.h"

namespace thence::dataflow {

class DataFiles {
 public:
  explicit DataFiles(const onnx::Model& model) : model_(model) {}

  /// The first `size` bytes of a tensor's external data. Nothing if the file does not exist, is too short, or
  /// lies outside the model's folder: a model must not make the program read other files. Nothing either once
  /// the tensors of a model have read a file more than `max_file_readings` times: overlapping tensors would
  /// let a small model occupy the program without end.
  std::optional<std::string_view> find(const onnx::ExternalData& place, std::uint64_t size);

 private:
  struct File {
    base::MappedFile bytes;        // empty if the file cannot be read
    std::uint64_t bytes_read = 0;  // by all tensors together
  };
  File& open(std::string_view location);

  const onnx::Model& model_;
  std::unordered_map<std::string, std::string> paths_;  // by location; many locations may name one file
  std::unordered_map<std::string, File> files_;         // by canonical path; "" if there is no such file
};

}  // namespace thence::dataflow
