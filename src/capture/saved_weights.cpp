#include "capture/saved_weights.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/json.h"
#include "capture/capture.h"
#include "capture/limits.h"

namespace thence::capture {
namespace {

using base::JsonValue;

// Bytes per element, by the type number in the archive; 0 for an unknown type.
unsigned element_bytes_of(std::uint64_t scalar_type) {
  // #lizard forgives: a table of torch's scalar types.
  switch (scalar_type) {
    case 1:   // uint8
    case 2:   // int8
    case 12:  // bool
    case 29:  // float8, five kinds
    case 30:
    case 31:
    case 32:
    case 33: return 1;
    case 3:              // int16
    case 6:              // float16
    case 13:             // bfloat16
    case 28: return 2;   // uint16
    case 4:              // int32
    case 7:              // float32
    case 9:              // complex32
    case 34: return 4;   // uint32
    case 5:              // int64
    case 8:              // float64
    case 10:             // complex64
    case 35: return 8;   // uint64
    case 11: return 16;  // complex128
    default: return 0;
  }
}

// A list of sizes that are all plain numbers.
std::optional<std::vector<std::uint64_t>> integer_sizes(JsonValue meta, const char* key) {
  std::vector<std::uint64_t> sizes;
  bool plain = meta[key].is_array();
  for (const JsonValue size : meta[key].items()) {
    const std::optional<std::uint64_t> value = size["as_int"].natural();
    plain &= value.has_value();
    sizes.push_back(value.value_or(0));
  }
  return plain ? std::optional(std::move(sizes)) : std::nullopt;
}

// The number of elements of a tensor that fills a contiguous range of memory, possibly transposed; 0 for any
// other tensor, and for more than `most`.
std::uint64_t count_dense_elements(JsonValue meta, std::uint64_t max_elements) {
  const auto sizes = integer_sizes(meta, "sizes"), strides = integer_sizes(meta, "strides");
  if (!sizes || !strides || sizes->size() != strides->size()) return 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> steps;  // stride and size
  for (std::size_t i = 0; i < sizes->size(); ++i)
    if ((*sizes)[i] != 1) steps.emplace_back((*strides)[i], (*sizes)[i]);
  std::sort(steps.begin(), steps.end());
  std::uint64_t elements = 1;
  for (const auto& [stride, size] : steps) {
    if (size == 0 || stride != elements || size > max_elements / elements) return 0;
    elements *= size;
  }
  return elements;
}

SavedTensor read_tensor(JsonValue item, std::string_view storage) {
  constexpr std::uint64_t strided = 7;
  SavedTensor tensor;
  if (item["use_pickle"].boolean().value_or(true)) return tensor;
  const JsonValue meta = item["tensor_meta"];
  tensor.width = element_bytes_of(meta["dtype"].natural().value_or(0));
  if (tensor.width == 0 || meta["layout"].natural() != strided) return tensor;
  const std::uint64_t elements = count_dense_elements(meta, storage.size() / tensor.width);
  const std::optional<std::uint64_t> offset = meta["storage_offset"]["as_int"].natural();
  if (elements == 0 || !offset || *offset > storage.size() / tensor.width - elements) return tensor;
  tensor.data = storage.substr(*offset * tensor.width, elements * tensor.width);
  return tensor;
}

std::string entry_path(const std::string& top, const char* folder, std::string_view file) {
  return std::string(top).append("data/").append(folder).append("/").append(file);
}

void read_folder(const base::ZipArchive& archive, const std::string& top, const std::string& program,
                 const char* folder, SavedWeights& weights) {
  const auto* const config = archive.find(
      entry_path(top, folder, std::string(program).append("_").append(folder).append("_config.json")));
  if (config == nullptr || !config->stored || config->data.size() > max_capture_bytes) return;
  const base::JsonDocument document(config->data);
  for (const auto& [path, item] : document.root()["config"].members()) {
    const auto* const payload = archive.find(entry_path(top, folder, item["path_name"].text_or({})));
    if (payload == nullptr || !payload->stored) continue;
    SavedTensor tensor = read_tensor(item, payload->data);
    if (!tensor.data.empty())
      tensor.storage_key = std::string(payload->name).append("\n").append(item["tensor_meta"].minified());
    weights.emplace(path, std::move(tensor));
  }
}

}  // namespace

SavedWeights read_saved_weights(const base::ZipArchive& archive, const std::string& top,
                                const std::string& program) {
  SavedWeights weights;
  const auto* const order = archive.find(top + "byteorder");
  if (order != nullptr && order->data != "little") return weights;
  read_folder(archive, top, program, "weights", weights);
  read_folder(archive, top, program, "constants", weights);
  return weights;
}

}  // namespace thence::capture
