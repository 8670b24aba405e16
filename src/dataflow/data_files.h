// DataFiles: the external data files that hold weights of a model.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/mapped_file.h"
#include "onnx/model.h"

namespace thence::dataflow {

class DataFiles {
 public:
  explicit DataFiles(const onnx::Model& model) : model_(model) {}

  /// The first `size` bytes of a tensor's external data. Nothing if the file does not exist, is too short, or
  /// lies outside the model's folder: a model must not make the program read other files. Nothing either once
  /// the different ranges of a file add up to `max_file_readings` times its size: overlapping tensors would
  /// let a small model occupy the program without end.
  std::optional<std::string_view> find(const onnx::ExternalData& external, std::uint64_t size);

 private:
  struct File {
    base::MappedFile bytes;                                    // empty if the file cannot be read
    std::set<std::pair<std::uint64_t, std::uint64_t>> ranges;  // offset and size of what was read
    std::uint64_t bytes_read = 0;                              // the sizes of all ranges
  };
  File& open(std::string_view location);

  const onnx::Model& model_;
  std::unordered_map<std::string, std::string> paths_;  // by location; many locations may name one file
  std::unordered_map<std::string, File> files_;         // by canonical path; "" if there is no such file
};

/// Results of reading bytes, by where these lie: tensors with the same external data read it once.
template <class Result>
using ByRange = std::map<std::tuple<const char*, std::size_t, onnx::DataType>, Result>;

}  // namespace thence::dataflow
