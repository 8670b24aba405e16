#include "onnx/errors.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "onnx/layout.h"
#include "onnx/model.h"

namespace thence::onnx {
namespace {

using wire::Fault;

struct FaultText {
  const char* code;
  const char* text;
};

FaultText describe_fault(Fault fault) {
  switch (fault) {
    case Fault::none: break;
    case Fault::varint_cut_off: return {"W001", "a number is truncated"};
    case Fault::varint_too_long: return {"W002", "a number has too many bytes"};
    case Fault::tag_too_large: return {"W003", "a field number is too large"};
    case Fault::field_zero: return {"W004", "field number 0, which protobuf forbids"};
    case Fault::length_past_end: return {"W005", "a length exceeds the enclosing message"};
    case Fault::number_past_end: return {"W006", "a fixed-size number is truncated"};
    case Fault::group: return {"W007", "a protobuf group, which ONNX never uses"};
    case Fault::unknown_wire_type: return {"W008", "an unknown wire type"};
    case Fault::too_deep: return {"W009", "messages nested more than 100 deep"};
    case Fault::packed_numbers: return {"W010", "packed numbers that do not decode"};
  }
  return {"W000", "no fault"};
}

bool is_text(std::string_view bytes) {
  return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return c == '\n' || c == '\r' || c == '\t' || (c >= 0x20 && c < 0x7f);
  });
}

// Describes the first bytes of a file that is not a model.
const char* describe_content(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return "it is gzip-compressed: unpack it first";
  if (bytes.starts_with("PK\x03\x04"))
    return "it is a zip archive (a .pt or .pt2 file is one, too), not an ONNX file";
  if (bytes.starts_with("version https://git-lfs"))
    return "it is a Git LFS pointer: fetch the real file first";
  if (bytes.starts_with("<!DOCTYPE") || bytes.starts_with("<html"))
    return "it is a web page, perhaps a failed download";
  if (is_text(bytes.substr(0, 256))) return "it is text, not an ONNX file";
  return "the file is damaged or not an ONNX model: export or download it again";
}

Error bad_input(const char* code, const std::string& file, const std::string& text, const char* hint) {
  return {ErrorKind::bad_input, code, base::printable(file) + ": " + text, hint};
}

}  // namespace

Error empty_file(const std::string& file) {
  return bad_input("W011", file, "the file is empty", "export or download it again");
}

Error undecodable(const std::string& file, std::string_view bytes, const wire::Survey& survey) {
  const FaultText fault = describe_fault(survey.fault);
  const std::string_view message = message_name(static_cast<MessageKind>(survey.fault_kind));
  const char* article = std::string_view("aeo").find(message.front()) != std::string_view::npos ? "an" : "a";
  return bad_input(
      fault.code, file,
      base::format("{} (in {} {}, offset {})", fault.text, article, message, survey.fault_offset),
      describe_content(bytes));
}

Error no_graph(const std::string& file, std::string_view bytes) {
  return bad_input("W012", file,
                   base::format("the file decodes, but contains no graph (offset {})", bytes.size()),
                   describe_content(bytes));
}

Error long_name(const std::string& file, std::uint64_t size, std::uint64_t offset) {
  return bad_input("W014", file, base::format("a name has {} bytes (offset {})", size, offset),
                   "names longer than 16 MiB are not read");
}

Error limits_exceeded(const std::string& file, const std::string& what) {
  return bad_input("W013", file, what + " (offset 0)",
                   "limits: 1 TiB, 2^30 nodes, 2^32 inputs and outputs, and, to keep what they take within "
                   "bounds, 48 MiB and twice the file without its weights and 96 bytes a node");
}

namespace {

std::string brief(std::string_view text) { return base::printable(text.substr(0, 100)); }

}  // namespace

std::optional<Error> invalid_external_data(const Model& model) {
  for (const Initializer& initializer : model.initializers()) {
    const TensorView tensor = model.tensor(initializer);
    if (!tensor.external || !tensor.external->invalid_entry) continue;
    const MetadataEntry& entry = *tensor.external->invalid_entry;
    return Error{
        ErrorKind::bad_input, "W015",
        base::format("{}: initializer '{}': the {} of its external data, '{}', is not a decimal number",
                     base::printable(model.file()), brief(tensor.name), entry.key, brief(entry.value)),
        "export the model again"};
  }
  return std::nullopt;
}

}  // namespace thence::onnx
