// SafetensorsFile: the tensors of a safetensors file, by the header at its start. The data stays mapped, and
// is not read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"

namespace thence::capture {

struct StoredTensor {
  std::string key;
  const char* dtype = "";  // PyTorch's name of the type
  unsigned width = 0;      // bytes per element; 0 if an element is not a whole number of bytes
  std::vector<std::int64_t> dims;
  std::string_view data;  // its elements in row-major order
};

class SafetensorsFile {
 public:
  /// Maps a file and checks its header. The rules are those of the format: keys are unique, and the data of
  /// the tensors fills the rest of the file without holes and overlaps.
  static Result<SafetensorsFile> open(const std::string& path);
  /// The same for bytes that must outlive the result. `label` names them in errors.
  static Result<SafetensorsFile> read(std::string_view bytes, const std::string& label);

  /// By key. Valid as long as a copy of mapping() or of the bytes.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  /// Null if there is none.
  const StoredTensor* find(std::string_view key) const;
  /// The file that the data lies in.
  const base::MappedFile& mapping() const { return mapping_; }

 private:
  base::MappedFile mapping_;
  std::vector<StoredTensor> tensors_;  // sorted by key
};

}  // namespace thence::capture
