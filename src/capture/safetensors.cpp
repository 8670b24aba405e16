#include "capture/safetensors.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/json.h"
#include "base/text.h"
#include "capture/limits.h"

namespace thence::capture {
namespace {

using base::JsonValue;

constexpr std::size_t length_bytes = 8;  // of the number before the header
constexpr const char* fetch_again = "download the file again, or save the model again with save_pretrained";

struct StoredType {
  std::string_view code;
  unsigned bits;
  const char* name;
};
constexpr StoredType stored_types[] = {
    {"BOOL", 8, "bool"},
    {"F4", 4, "float4_e2m1fn_x2"},
    {"F6_E2M3", 6, "float6_e2m3fn"},
    {"F6_E3M2", 6, "float6_e3m2fn"},
    {"U8", 8, "uint8"},
    {"I8", 8, "int8"},
    {"F8_E5M2", 8, "float8_e5m2"},
    {"F8_E4M3", 8, "float8_e4m3fn"},
    {"F8_E8M0", 8, "float8_e8m0fnu"},
    {"F8_E4M3FNUZ", 8, "float8_e4m3fnuz"},
    {"F8_E5M2FNUZ", 8, "float8_e5m2fnuz"},
    {"I16", 16, "int16"},
    {"U16", 16, "uint16"},
    {"F16", 16, "float16"},
    {"BF16", 16, "bfloat16"},
    {"I32", 32, "int32"},
    {"U32", 32, "uint32"},
    {"F32", 32, "float32"},
    {"C64", 64, "complex64"},
    {"F64", 64, "float64"},
    {"I64", 64, "int64"},
    {"U64", 64, "uint64"},
};

const StoredType* find_stored_type(std::string_view code) {
  for (const StoredType& type : stored_types)
    if (type.code == code) return &type;
  return nullptr;
}

// Reads the entries of one header.
class HeaderReader {
 public:
  HeaderReader(std::string_view data, const std::string& label) : data_(data), label_(label) {}

  Result<std::vector<StoredTensor>> read(JsonValue header) {
    std::size_t metadata_count = 0;
    for (const auto& [key, value] : header.members()) {
      if (key == "__metadata__") {
        if (++metadata_count > 1) return header_error("H005", "the key '__metadata__' is there twice");
        if (auto error = check_metadata(value)) return *std::move(error);
      } else if (auto error = read_entry(key, value)) {
        return *std::move(error);
      }
    }
    if (auto error = check_coverage()) return *std::move(error);
    std::sort(tensors_.begin(), tensors_.end(),
              [](const StoredTensor& a, const StoredTensor& b) { return a.key < b.key; });
    const auto twice =
        std::adjacent_find(tensors_.begin(), tensors_.end(),
                           [](const StoredTensor& a, const StoredTensor& b) { return a.key == b.key; });
    if (twice != tensors_.end())
      return header_error("H005", base::format("the key '{}' is there twice", shown(twice->key)));
    return std::move(tensors_);
  }

 private:
  Error header_error(const char* code, const std::string& what) const {
    return {ErrorKind::bad_input, code, base::format("{}: {}", base::printable(label_), what), fetch_again};
  }

  Error entry_error(const char* code, std::string_view key, const std::string& what) const {
    return header_error(code, base::format("tensor '{}': {}", shown(key), what));
  }

  // A key may be as long as the header.
  static std::string shown(std::string_view key) {
    return base::printable(key.substr(0, std::min(key.size(), max_shown_key_bytes)));
  }

  std::optional<Error> check_metadata(JsonValue metadata) const {
    bool is_text = metadata.is_object() || metadata.is_null();
    for (const auto& [key, value] : metadata.members()) is_text &= value.text().has_value();
    if (is_text) return std::nullopt;
    return header_error("H004", "'__metadata__' is not an object of texts");
  }

  struct EntryFields {
    JsonValue dtype, shape, offsets;
  };

  // A lookup by name would find the first of two members and hide the other one.
  static std::optional<EntryFields> fields_of(JsonValue entry) {
    EntryFields fields;
    std::array<int, 3> counts{};
    for (const auto& [name, value] : entry.members()) {
      if (name == "dtype") ++counts[0], fields.dtype = value;
      if (name == "shape") ++counts[1], fields.shape = value;
      if (name == "data_offsets") ++counts[2], fields.offsets = value;
    }
    if (counts != std::array{1, 1, 1}) return std::nullopt;
    return fields;
  }

  std::optional<Error> read_entry(std::string_view key, JsonValue entry) {
    const std::optional<EntryFields> fields = fields_of(entry);
    if (!fields) return entry_error("H004", key, "needs one dtype, one shape and one data_offsets");
    const StoredType* const type = find_stored_type(fields->dtype.text_or({}));
    if (type == nullptr)
      return entry_error("H004", key,
                         base::format("its dtype '{}' is unknown", shown(fields->dtype.text_or({}))));
    StoredTensor tensor{std::string(key), type->name, type->bits % 8 == 0 ? type->bits / 8 : 0, {}, {}};
    const std::optional<std::uint64_t> bits = read_shape(fields->shape, type->bits, tensor.dims);
    if (!bits) return entry_error("H004", key, "its shape is not a list of sizes, or has too many elements");
    const auto range = read_range(fields->offsets);
    if (!range) return entry_error("H004", key, "its data_offsets are not two numbers in order");
    if (range->second > data_.size())
      return entry_error("H007", key,
                         base::format("its data ends at byte {}, and the file has {} bytes of data",
                                      range->second, data_.size()));
    if (const std::uint64_t bytes = range->second - range->first; *bits % 8 != 0 || bytes != *bits / 8)
      return entry_error(
          "H006", key, base::format("has {} bytes of data; its dtype and shape need {} bits", bytes, *bits));
    tensor.data = data_.substr(range->first, range->second - range->first);
    tensors_.push_back(std::move(tensor));
    return std::nullopt;
  }

  // The number of bits; empty if it does not fit into 64 bits, or the shape is malformed.
  static std::optional<std::uint64_t> read_shape(JsonValue shape, std::uint64_t bits,
                                                 std::vector<std::int64_t>& dims) {
    std::uint64_t elements = 1;
    if (!shape.is_array()) return std::nullopt;
    for (const JsonValue item : shape.items()) {
      const std::optional<std::int64_t> size = item.integer();
      if (!size || *size < 0) return std::nullopt;
      if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(*size), &elements)) return std::nullopt;
      dims.push_back(*size);
    }
    if (__builtin_mul_overflow(bits, elements, &bits)) return std::nullopt;
    return bits;
  }

  static std::optional<std::pair<std::uint64_t, std::uint64_t>> read_range(JsonValue offsets) {
    std::array<std::uint64_t, 2> range{};
    std::size_t count = 0;
    for (const JsonValue item : offsets.items()) {
      const std::optional<std::uint64_t> number = item.natural();
      if (!number || count == range.size()) return std::nullopt;
      range[count++] = *number;
    }
    if (count != range.size() || range[0] > range[1]) return std::nullopt;
    return std::pair(range[0], range[1]);
  }

  // The data of all tensors together is the rest of the file.
  std::optional<Error> check_coverage() {
    const auto place = [](const StoredTensor& tensor) {
      return std::pair(tensor.data.data(), tensor.data.size());
    };
    std::sort(tensors_.begin(), tensors_.end(),
              [&](const StoredTensor& a, const StoredTensor& b) { return place(a) < place(b); });
    std::size_t end = 0;
    for (const StoredTensor& tensor : tensors_) {
      const auto begin = static_cast<std::size_t>(tensor.data.data() - data_.data());
      if (begin < end) return entry_error("H007", tensor.key, "its data overlaps that of another tensor");
      if (begin > end)
        return entry_error("H007", tensor.key,
                           base::format("{} bytes before its data belong to no tensor", begin - end));
      end = begin + tensor.data.size();
    }
    if (end == data_.size()) return std::nullopt;
    return header_error("H007", base::format("the last {} bytes belong to no tensor", data_.size() - end));
  }

  std::string_view data_;
  const std::string& label_;
  std::vector<StoredTensor> tensors_;
};

std::uint64_t header_length(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::read(std::string_view bytes, const std::string& label) {
  const auto bad = [&](const char* code, const std::string& what) {
    return Error{ErrorKind::bad_input, code, base::format("{}: {}", base::printable(label), what),
                 fetch_again};
  };
  if (bytes.size() < length_bytes)
    return bad("H001", base::format("has {} bytes, too few for a safetensors file", bytes.size()));
  const std::uint64_t length = header_length(bytes);
  if (length > max_weights_header_bytes)
    return bad("H002", base::format("its header has {} bytes; headers of more than {} are not read", length,
                                    max_weights_header_bytes));
  if (length > bytes.size() - length_bytes)
    return bad("H001", base::format("its header has {} bytes, and the file has {}", length, bytes.size()));
  const std::string_view text = bytes.substr(length_bytes, length);
  if (!text.starts_with('{')) return bad("H003", "its header is not a JSON object");
  const base::JsonDocument document(text);
  if (document.error()) return bad("H003", base::format("its header is not JSON: {}", *document.error()));
  Result<std::vector<StoredTensor>> tensors =
      HeaderReader(bytes.substr(length_bytes + length), label).read(document.root());
  if (!tensors) return tensors.error();
  SafetensorsFile file;
  file.tensors_ = *std::move(tensors);
  return file;
}

Result<SafetensorsFile> SafetensorsFile::open(const std::string& path) {
  Result<base::MappedFile> mapping = base::MappedFile::open(path);
  if (!mapping) return mapping.error();
  Result<SafetensorsFile> file = read(mapping->bytes(), path);
  if (file) file->mapping_ = *std::move(mapping);
  return file;
}

const StoredTensor* SafetensorsFile::find(std::string_view key) const {
  const auto found =
      std::lower_bound(tensors_.begin(), tensors_.end(), key,
                       [](const StoredTensor& tensor, std::string_view name) { return tensor.key < name; });
  return found == tensors_.end() || found->key != key ? nullptr : &*found;
}

}  // namespace thence::capture
