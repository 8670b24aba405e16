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

// The types of elements, by their number in the archive. Others are unknown.
struct ScalarType {
  std::uint64_t number;
  unsigned bytes;
  const char* name;
};
constexpr ScalarType scalar_types[] = {
    {1, 1, "uint8"},
    {2, 1, "int8"},
    {3, 2, "int16"},
    {4, 4, "int32"},
    {5, 8, "int64"},
    {6, 2, "float16"},
    {7, 4, "float32"},
    {8, 8, "float64"},
    {9, 4, "complex32"},
    {10, 8, "complex64"},
    {11, 16, "complex128"},
    {12, 1, "bool"},
    {13, 2, "bfloat16"},
    {28, 2, "uint16"},
    {29, 1, "float8_e4m3fn"},
    {30, 1, "float8_e5m2"},
    {31, 1, "float8_e4m3fnuz"},
    {32, 1, "float8_e5m2fnuz"},
    {33, 1, "float8_e8m0fnu"},
    {34, 4, "uint32"},
    {35, 8, "uint64"},
};

ScalarType scalar_type_of(std::uint64_t number) {
  for (const ScalarType& type : scalar_types)
    if (type.number == number) return type;
  return {number, 0, ""};
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
  const ScalarType type = scalar_type_of(meta["dtype"].natural().value_or(0));
  tensor.width = type.bytes;
  tensor.dtype = type.name;
  if (const auto sizes = integer_sizes(meta, "sizes")) {
    tensor.dims.emplace();
    for (const std::uint64_t size : *sizes) tensor.dims->push_back(static_cast<std::int64_t>(size));
  }
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
