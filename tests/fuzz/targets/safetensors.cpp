// Reads a safetensors file, alone and as the weights of a saved model. An input has the description of the
// model and the file; the size in front of the header is corrected, so that the mutator need not keep it
// right.
#include "capture/safetensors.h"

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "../fuzz.h"
#include "../unit/safetensors.h"
#include "capture/capture.h"

namespace thence::fuzz {
namespace {

constexpr std::size_t prefix_bytes = 8;

// A folder of this process, with one file of weights.
class Checkpoint {
 public:
  Checkpoint() {
    char name[] = "/tmp/thence-fuzz-XXXXXX";
    require(mkdtemp(name) != nullptr, "there is a temporary folder");
    folder_ = name;
  }
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  ~Checkpoint() { std::filesystem::remove_all(folder_); }

  const std::string& folder() const { return folder_; }
  void write(std::string_view weights) const {
    std::ofstream(folder_ + "/model.safetensors", std::ios::binary | std::ios::trunc)
        .write(weights.data(), static_cast<std::streamsize>(weights.size()));
  }

 private:
  std::string folder_;
};

std::string corrected(std::string_view file) {
  const std::string_view rest = file.substr(std::min(prefix_bytes, file.size()));
  const std::size_t end = rest.rfind('}');
  const std::size_t header = end == std::string_view::npos ? rest.size() : end + 1;
  return safetensors_of(std::string(rest.substr(0, header)), std::string(rest.substr(header)));
}

void read_file(std::string_view bytes) {
  Result<capture::SafetensorsFile> read = capture::SafetensorsFile::read(bytes, "model.safetensors");
  const capture::SafetensorsFile* file = value_of(read);
  if (file == nullptr) return;
  std::size_t size = 0;
  for (const capture::StoredTensor& tensor : file->tensors()) {
    require(file->find(tensor.key) == &tensor, "a tensor is found by its key");
    size += tensor.data.size();
  }
  require(size <= bytes.size(), "tensors do not overlap");
}

void read_weights(std::string_view input) {
  static const Checkpoint checkpoint;
  const auto [description, file] = split_pair(input);
  read_file(file);
  const std::string whole = corrected(file);
  read_file(whole);
  checkpoint.write(whole);
  Diagnostics diagnostics;
  Result<capture::Capture> read =
      capture::read_checkpoint({checkpoint.folder(), std::string(description)}, diagnostics);
  for (const Diagnostic& each : diagnostics.kept()) require_printable(each.text, "diagnostic");
  if (const capture::Capture* found = value_of(read))
    for (const capture::CapturedParameter& parameter : found->parameters) (void)parameter.content_hash();
}

const Registration safetensors_target({"safetensors", read_weights, {Part::text, Part::text}});

}  // namespace
}  // namespace thence::fuzz
