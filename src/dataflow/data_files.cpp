#include "dataflow/data_files.h"

#include <algorithm>
#include <filesystem>

#include "dataflow/thresholds.h"

namespace thence::dataflow {
namespace {

namespace fs = std::filesystem;

// The canonical path of a location; nothing if it lies outside the model's folder.
std::optional<std::string> path_inside_folder(const std::string& model, std::string_view location) {
  std::error_code failed;
  const fs::path folder = fs::canonical(fs::absolute(model, failed).parent_path(), failed);
  if (failed || location.empty() || location.find('\0') != std::string_view::npos) return std::nullopt;
  const fs::path file = fs::canonical(folder / fs::path(location), failed);
  if (failed) return std::nullopt;
  const auto [rest, of_file] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  if (rest != folder.end()) return std::nullopt;
  return file.string();
}

}  // namespace

DataFiles::File& DataFiles::open(std::string_view location) {
  const auto [entry, is_new_location] = paths_.try_emplace(std::string(location));
  if (is_new_location && model_.is_in_folder())
    entry->second = path_inside_folder(model_.file(), location).value_or("");
  const auto [file, is_new_file] = files_.try_emplace(entry->second);
  if (is_new_file && !entry->second.empty())
    if (Result<base::MappedFile> opened = base::MappedFile::open(entry->second))
      file->second.bytes = *std::move(opened);
  return file->second;
}

std::optional<std::string_view> DataFiles::find(const onnx::ExternalData& external, std::uint64_t size) {
  File& file = open(external.location);
  const std::string_view bytes = file.bytes.bytes();
  const std::uint64_t offset = external.offset.value_or(0);
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  if (external.length.value_or(size) != size) return std::nullopt;
  if (!file.ranges.contains({offset, size})) {
    if (size > max_file_readings * bytes.size() - file.bytes_read) return std::nullopt;
    file.ranges.insert({offset, size});
    file.bytes_read += size;
  }
  return bytes.substr(offset, size);
}

}  // namespace thence::dataflow
