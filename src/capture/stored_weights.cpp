#include "capture/stored_weights.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "base/format.h"
#include "base/text.h"
#include "capture/limits.h"
#include "capture/safetensors.h"

namespace thence::capture {
namespace {

namespace fs = std::filesystem;
using base::JsonValue;

// A name with a folder could lead out of the checkpoint.
bool is_plain_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

std::uint64_t elements_of(const std::vector<std::int64_t>& dims) {
  std::uint64_t elements = 1;
  for (const std::int64_t size : dims)
    if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(size), &elements)) return 0;
  return elements;
}

class StoredWeightsReader {
 public:
  StoredWeightsReader(JsonValue section, const std::string& checkpoint, Capture& capture,
                      Diagnostics& diagnostics)
      : section_(section), checkpoint_(checkpoint), capture_(capture), diagnostics_(diagnostics) {}

  std::optional<Error> read() {
    if (auto error = open_files()) return error;
    if (files_.empty()) {
      note_missing_weights();
      return std::nullopt;
    }
    if (const JsonValue method = section_["unread_method"]; method.exists()) note_unread(method);
    std::unordered_map<std::string_view, CapturedParameter*> by_path;
    for (CapturedParameter& parameter : capture_.parameters) by_path.emplace(parameter.path, &parameter);
    for (const JsonValue item : section_["parameters"].items()) {
      const auto found = by_path.find(item["path"].text_or({}));
      if (found != by_path.end() && found->second->pieces.empty() && !found->second->packed)
        set_data(item, *found->second);
    }
    return std::nullopt;
  }

 private:
  std::optional<Error> open_files() {
    std::error_code ignored;
    const fs::path given(checkpoint_);
    const fs::path folder = fs::is_directory(given, ignored) ? given : given.parent_path();
    std::unordered_set<std::string_view> names;
    std::string missing;
    for (const JsonValue item : section_["files"].items()) {
      const std::string_view name = item.text_or({});
      if (!is_plain_file_name(name) || !names.insert(name).second || names.size() > max_weight_files)
        return Error{ErrorKind::bad_input, "C003",
                     base::format("{}: '{}' is not the name of one of its files of weights",
                                  base::printable(checkpoint_), base::printable(name)),
                     "check the index of the weights, or download it again"};
      if (!fs::exists(folder / name, ignored)) {
        files_.emplace_back();
        if (missing.empty()) missing = name;
        report_missing_file(name);
        continue;
      }
      Result<SafetensorsFile> file = SafetensorsFile::open((folder / name).string());
      if (!file) return file.error();
      capture_.files.push_back(file->mapping());
      files_.push_back(*std::move(file));
    }
    if (missing.empty() || !capture_.files.empty()) return std::nullopt;
    return Error{ErrorKind::bad_input, "C008",
                 base::format("{}: its files of weights are missing; the first is {}",
                              base::printable(checkpoint_), base::printable(missing)),
                 "download them, or give its config.json to compare names and shapes only"};
  }

  void report_missing_file(std::string_view name) {
    diagnostics_.add("C009", [&] {
      return Diagnostic{
          "C009", Severity::warning, checkpoint_,
          base::format("{} is missing; its parameters have names and shapes only", base::printable(name))};
    });
  }

  void note_missing_weights() {
    std::string text = "has no safetensors files; parameters have names and shapes only";
    for (const JsonValue item : section_["unread"].items()) {
      text = base::format(
          "{} is not read, because such files can run code; parameters have names and shapes only",
          base::printable(item.text_or({})));
      break;
    }
    diagnostics_.add({"C010", Severity::note, checkpoint_, text});
  }

  void note_unread(JsonValue method) {
    diagnostics_.add({"C010", Severity::note, checkpoint_,
                      base::format("weights that '{}' quantised are not read; their parameters have names and "
                                   "shapes only",
                                   base::printable(method.text_or({})))});
  }

  struct Piece {
    const StoredTensor* tensor = nullptr;
    std::string_view data;
    const char* problem = nullptr;  // null if the piece is there, or its file is missing
  };

  Piece find_piece(JsonValue item) const {
    const std::optional<std::uint64_t> file = item["file"].natural();
    if (!file || *file >= files_.size()) return {nullptr, {}, "its file is not listed"};
    if (!files_[*file]) return {};
    const StoredTensor* const tensor = files_[*file]->find(item["key"].text_or({}));
    if (tensor == nullptr) return {nullptr, {}, "its key is not in the file"};
    if (tensor->width == 0) return {};
    const JsonValue range = item["elements"];
    if (!range.exists()) return {tensor, tensor->data, nullptr};
    std::uint64_t bounds[2] = {0, 0};
    std::size_t count = 0;
    for (const JsonValue bound : range.items())
      if (count < 2) bounds[count++] = bound.natural().value_or(0);
    if (bounds[0] >= bounds[1] || bounds[1] > tensor->data.size() / tensor->width)
      return {nullptr, {}, "its range is not in the tensor"};
    return {tensor, tensor->data.substr(bounds[0] * tensor->width, (bounds[1] - bounds[0]) * tensor->width),
            nullptr};
  }

  // Without data if the item is missing, or its file is.
  PackedWeight::Tensor find_tensor(JsonValue item) const {
    const StoredTensor* const tensor = item.exists() ? find_piece(item).tensor : nullptr;
    return tensor == nullptr ? PackedWeight::Tensor() : PackedWeight::Tensor{tensor->data, tensor->dtype, tensor->width};
  }

  void set_packed_data(JsonValue item, CapturedParameter& parameter) {
    if (!parameter.has_dims || parameter.dims.size() != 2) return;
    PackedWeight packed{.outputs = static_cast<std::uint64_t>(parameter.dims[0]),
                        .inputs = static_cast<std::uint64_t>(parameter.dims[1]),
                        .bits = static_cast<unsigned>(std::min<std::uint64_t>(
                            item["bits"].natural().value_or(0), max_packed_bits)),
                        .packs_inputs = item["packs_inputs"].boolean().value_or(false),
                        .zero_point_offset = item["zero_point_offset"].natural().value_or(0) != 0 ? 1u : 0u,
                        .block = item["block"].natural().value_or(0),
                        .words = find_tensor(item["words"]),
                        .scales = find_tensor(item["scales"]),
                        .zero_points = find_tensor(item["zero_points"]),
                        .blocks = find_tensor(item["blocks"])};
    std::size_t count = 0;
    for (const JsonValue place : item["places"].items())
      if (count < packed.places.size())
        packed.places[count++] =
            static_cast<std::uint8_t>(std::min<std::uint64_t>(place.natural().value_or(0), max_packed_bits));
    if (packed.words.data.empty()) return;
    if (!packed.is_complete()) return report_no_data(parameter, "its packed tensors do not fit together");
    parameter.packed = packed;
  }

  void set_data(JsonValue item, CapturedParameter& parameter) {
    if (const JsonValue packed = item["packed"]; packed.exists()) return set_packed_data(packed, parameter);
    const StoredTensor* first = nullptr;
    std::vector<std::string_view> pieces;
    std::uint64_t bytes = 0;
    for (const JsonValue each : item["pieces"].items()) {
      const Piece piece = find_piece(each);
      if (piece.problem != nullptr) return report_no_data(parameter, piece.problem);
      if (piece.tensor == nullptr) return;
      if (first == nullptr) first = piece.tensor;
      if (piece.tensor->dtype != first->dtype)
        return report_no_data(parameter, "its pieces have several types");
      pieces.push_back(piece.data);
      bytes += piece.data.size();
    }
    if (first == nullptr) return;
    const std::uint64_t elements = parameter.has_dims ? elements_of(parameter.dims) : 0;
    if (elements == 0 || bytes % first->width != 0 || bytes / first->width != elements)
      return report_no_data(parameter, "its pieces have another number of elements");
    parameter.pieces = std::move(pieces);
    parameter.width = first->width;
    parameter.dtype = first->dtype;  // that of the stored data, to which the content belongs
  }

  void report_no_data(const CapturedParameter& parameter, const char* problem) {
    diagnostics_.add("C011", [&] {
      return Diagnostic{
          "C011", Severity::warning, checkpoint_,
          base::format("parameter '{}' has no content: {}", base::printable(parameter.path), problem)};
    });
  }

  JsonValue section_;
  const std::string& checkpoint_;
  Capture& capture_;
  Diagnostics& diagnostics_;
  std::vector<std::optional<SafetensorsFile>> files_;  // empty: missing
};

}  // namespace

std::optional<Error> read_stored_weights(JsonValue section, const std::string& checkpoint, Capture& capture,
                                         Diagnostics& diagnostics) {
  return StoredWeightsReader(section, checkpoint, capture, diagnostics).read();
}

}  // namespace thence::capture
