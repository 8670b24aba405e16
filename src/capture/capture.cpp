#include "capture/capture.h"

#include <charconv>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/format.h"
#include "base/json.h"
#include "base/text.h"
#include "base/zip_archive.h"
#include "capture/called_modules.h"
#include "capture/htp_metadata.h"
#include "capture/limits.h"
#include "capture/saved_program.h"
#include "capture/sections.h"
#include "capture/stored_weights.h"
#include "onnx/content_hash.h"

namespace thence::capture {
namespace {

using base::JsonValue;

constexpr std::int64_t known_hierarchy_version = 1;

Error capture_error(const std::string& label, const char* code, const std::string& what) {
  return {ErrorKind::bad_input, code, base::format("{}: {}", base::printable(label), what),
          "write it again with 'thence capture'; docs/capture.md describes the file"};
}

std::optional<Error> read_modules(JsonValue hierarchy, const std::string& label, Capture& capture) {
  if (!hierarchy["modules"].is_array())
    return capture_error(label, "C003", "the hierarchy has no list of modules");
  std::size_t index = 0;
  for (const JsonValue item : hierarchy["modules"].items()) {
    const std::optional<std::string_view> path = item["path"].text();
    if (!path) return capture_error(label, "C003", base::format("module {} has no path", index));
    const ModuleId module = capture.tree.add(*path, item["class"].text_or({}));
    if (module == no_module)
      return capture_error(
          label, "C003", base::format("module {}: '{}' is not a module path", index, base::printable(*path)));
    if (const auto calls = item["calls"].natural())
      capture.tree.set_calls(module, static_cast<std::uint32_t>(std::min<std::uint64_t>(*calls, 0xffffffff)));
    for (const JsonValue alias : item["aliases"].items())
      if (const auto other = alias.text()) capture.tree.add_alias(module, *other);
    ++index;
  }
  return std::nullopt;
}

// The list of modules counts the calls of a module by all of its paths. The rows of calls have the caller,
// from which the path follows.
void count_calls_by_path(JsonValue calls, ModuleTree& tree) {
  if (!tree.has_aliases() || !calls.is_array()) return;
  CalledModules called(tree);
  std::map<std::tuple<ModuleId, std::uint64_t, bool>, ModuleId> paths;  // by module, number, directness
  std::unordered_map<ModuleId, std::uint32_t> counts;
  const auto key = [&](JsonValue row, const char* module, const char* number, const char* direct) {
    return std::tuple(tree.find(row[module].text_or({})), row[number].natural().value_or(0),
                      row[direct].boolean().value_or(false));
  };
  for (const JsonValue row : calls.items()) {
    const auto recorded = key(row, "module", "call", "direct");
    const auto [module, number, is_direct] = recorded;
    if (module == no_module) continue;
    const auto caller =
        row["caller"].text() ? paths.find(key(row, "caller", "caller_call", "caller_direct")) : paths.end();
    const ModuleId path =
        called.find(caller == paths.end() ? modules::root : caller->second, {module}).module;
    paths.emplace(recorded, path);
    counts[path] += !row["method"].exists();
  }
  for (ModuleId module = 0; module < tree.size(); ++module)
    if (!tree[module].aliases.empty()) tree.set_calls(module, counts[module]);
}

// Four hexadecimal digits each.
std::vector<std::uint16_t> read_samples(std::string_view text) {
  constexpr std::size_t digits = 4;
  std::vector<std::uint16_t> samples;
  for (; text.size() >= digits; text.remove_prefix(digits)) {
    std::uint16_t half = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + digits, half, 16);
    if (error != std::errc() || end != text.data() + digits) return {};
    samples.push_back(half);
  }
  return samples;
}

void read_parameters(JsonValue hierarchy, Capture& capture) {
  for (const JsonValue item : hierarchy["parameters"].items()) {
    CapturedParameter parameter;
    parameter.path = item["path"].text_or({});
    for (const JsonValue alias : item["aliases"].items())
      if (const auto other = alias.text()) parameter.aliases.emplace_back(*other);
    parameter.dtype = item["dtype"].text_or({});
    parameter.is_buffer = item["buffer"].boolean().value_or(false);
    parameter.has_dims = item["shape"].is_array();
    for (const JsonValue size : item["shape"].items()) {
      parameter.dims.push_back(size.integer().value_or(-1));
      parameter.has_dims &= parameter.dims.back() >= 0;
    }
    if (const auto hash = item["fingerprint"]["exact"].text()) parameter.exact = onnx::parse_hash(*hash);
    if (const auto hash = item["fingerprint"]["unordered"].text())
      parameter.unordered = onnx::parse_hash(*hash);
    parameter.samples = read_samples(item["fingerprint"]["samples"].text_or({}));
    if (!parameter.path.empty()) capture.parameters.push_back(std::move(parameter));
  }
}

// Reads the sections other than the hierarchy. Sections of a later version are skipped.
void read_recordings(JsonValue sections, const std::string& label, Capture& capture,
                     Diagnostics& diagnostics) {
  const auto read = [&](const char* name, auto use) {
    const JsonValue section = sections[name];
    if (!section.exists()) return;
    const std::int64_t version = section["version"].integer().value_or(0);
    if (version == 1) return use(section);
    diagnostics.add({"C005", Severity::warning, label,
                     base::format("the section '{}' is of version {}; this program knows 1 and leaves it out",
                                  name, version)});
  };
  read("execution_trace",
       [&](JsonValue section) { capture.trace = read_execution_trace(section, capture.tree); });
  read("fx_graph", [&](JsonValue section) { capture.fx = read_fx_graph(section, capture.tree); });
  read("module_map", [&](JsonValue section) {
    capture.module_map = read_module_map(section, capture.tree);
    for (const JsonValue item : section["operators"].items())
      if (const std::optional<std::uint64_t> count = item["nodes"].natural())
        capture.module_map_operators[std::string(item["op_type"].text().value_or(""))] = *count;
  });
}

std::optional<Error> read_hierarchy(JsonValue hierarchy, const std::string& label, Capture& capture,
                                    Diagnostics& diagnostics) {
  if (!hierarchy.exists()) return capture_error(label, "C003", "has no section 'hierarchy'");
  const std::int64_t version = hierarchy["version"].integer().value_or(0);
  if (version < 1) return capture_error(label, "C003", "the hierarchy has no version");
  if (version > known_hierarchy_version)
    diagnostics.add(
        {"C005", Severity::warning, label,
         base::format("the hierarchy is of version {}; this program knows {} and reads what it can", version,
                      known_hierarchy_version)});
  if (auto error = read_modules(hierarchy, label, capture)) return error;
  count_calls_by_path(hierarchy["calls"], capture.tree);
  read_parameters(hierarchy, capture);
  capture.tree.set_complete();
  capture.tree.set_registration_order();
  return std::nullopt;
}

// `checkpoint` is null for a capture.
Result<Capture> read_document(std::string_view text, const std::string& label, const Checkpoint* checkpoint,
                              Diagnostics& diagnostics) {
  if (text.size() > max_capture_bytes)
    return capture_error(
        label, "C006",
        base::format("has {} bytes; captures of more than {} are not read", text.size(), max_capture_bytes));
  const base::JsonDocument document(text);
  if (document.error()) return capture_error(label, "C001", base::format("not JSON: {}", *document.error()));
  const JsonValue file = document.root();
  if (is_htp_metadata(file)) return read_htp_metadata(file, label);
  const std::string_view schema = file["schema"].text_or({});
  if (schema != "thence.capture/1")
    return capture_error(label, "C002",
                         base::format("not a capture file: its schema is '{}', not 'thence.capture/1'",
                                      base::printable(schema)));
  Capture capture;
  const JsonValue sections = file["sections"];
  if (!sections.is_object()) return capture_error(label, "C003", "has no sections");
  for (const auto& [name, section] : sections.members()) capture.sections.emplace_back(name);
  if (auto error = read_hierarchy(sections["hierarchy"], label, capture, diagnostics)) return *error;
  read_recordings(sections, label, capture, diagnostics);
  if (checkpoint != nullptr)
    if (auto error = read_stored_weights(sections["weights"], checkpoint->path, capture, diagnostics))
      return *error;
  return capture;
}

}  // namespace

std::optional<std::uint64_t> CapturedParameter::content_hash() const {
  if (unordered || data_elements() == 0) return unordered;
  return onnx::hash_content(pieces, width).unordered;
}

std::uint64_t CapturedParameter::data_elements() const {
  std::uint64_t bytes = 0;
  for (const std::string_view piece : pieces) bytes += piece.size();
  return width == 0 ? 0 : bytes / width;
}

Result<Capture> read_capture(std::string_view text, const std::string& label, Diagnostics& diagnostics) {
  if (base::ZipArchive::has_signature(text)) return read_saved_program(text, label, diagnostics);
  return read_document(text, label, nullptr, diagnostics);
}

Result<Capture> open_capture(const std::string& path, Diagnostics& diagnostics) {
  Result<base::MappedFile> file =
      path == "-" ? base::MappedFile::standard_input() : base::MappedFile::open(path);
  if (!file) return file.error();
  Result<Capture> capture = read_capture(file->bytes(), path == "-" ? "standard input" : path, diagnostics);
  if (capture) capture->files.push_back(*std::move(file));
  return capture;
}

Result<Capture> read_checkpoint(const Checkpoint& checkpoint, Diagnostics& diagnostics) {
  return read_document(checkpoint.description, checkpoint.path, &checkpoint, diagnostics);
}

}  // namespace thence::capture
