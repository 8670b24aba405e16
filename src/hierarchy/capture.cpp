#include "hierarchy/capture.h"

#include <fmt/core.h>
#include <simdjson.h>

#include <unordered_set>

#include "base/text.h"
#include "base/zip_archive.h"
#include "hierarchy/capture_sections.h"
#include "hierarchy/content.h"
#include "hierarchy/htp_metadata.h"
#include "hierarchy/json_read.h"
#include "hierarchy/parameters.h"
#include "hierarchy/saved_program.h"

namespace thence::hierarchy {
namespace {

namespace dom = simdjson::dom;

constexpr std::int64_t known_hierarchy_version = 1;

Error bad(const std::string& label, const char* code, const std::string& what) {
  return {ErrorKind::bad_input, code, fmt::format("{}: {}", base::printable(label), what),
          "write it anew with 'thence capture'; docs/capture.md describes the file"};
}

std::optional<Error> read_modules(dom::element hierarchy, const std::string& label, Capture& capture) {
  dom::array modules;
  if (hierarchy["modules"].get_array().get(modules) != simdjson::SUCCESS)
    return bad(label, "C003", "the hierarchy has no list of modules");
  std::size_t index = 0;
  for (const dom::element item : modules) {
    std::string_view path;
    if (item["path"].get_string().get(path) != simdjson::SUCCESS)
      return bad(label, "C003", fmt::format("module {} has no path", index));
    const ModuleId module = capture.tree.add(path, text_or(item, "class", ""));
    if (module == no_module)
      return bad(label, "C003",
                 fmt::format("module {}: '{}' is no module path", index, base::printable(path)));
    std::uint64_t calls = 0;
    if (item["calls"].get_uint64().get(calls) == simdjson::SUCCESS)
      capture.tree.set_calls(module, static_cast<std::uint32_t>(std::min<std::uint64_t>(calls, 0xffffffff)));
    each(item, "aliases", [&](dom::element alias) {
      std::string_view other;
      if (alias.get_string().get(other) == simdjson::SUCCESS) capture.tree.add_alias(module, other);
    });
    ++index;
  }
  return std::nullopt;
}

void read_parameters(dom::element hierarchy, Capture& capture) {
  each(hierarchy, "parameters", [&](dom::element item) {
    CapturedParameter parameter;
    parameter.path = text_or(item, "path", "");
    each(item, "aliases", [&](dom::element alias) {
      std::string_view other;
      if (alias.get_string().get(other) == simdjson::SUCCESS) parameter.aliases.emplace_back(other);
    });
    std::string_view hash;
    if (item["fingerprint"]["unordered"].get_string().get(hash) == simdjson::SUCCESS)
      parameter.unordered = read_hash(hash);
    if (!parameter.path.empty()) capture.parameters.push_back(std::move(parameter));
  });
}

// The sections beside the hierarchy; those of a later version are left alone.
void read_recordings(dom::element sections, const std::string& label, Capture& capture,
                     Diagnostics& diagnostics) {
  const auto read = [&](const char* name, auto use) {
    dom::element section;
    if (sections[name].get(section) != simdjson::SUCCESS) return;
    std::int64_t version = 0;
    if (section["version"].get_int64().get(version) == simdjson::SUCCESS && version == 1) return use(section);
    diagnostics.add({"C005", Severity::warning, label,
                     fmt::format("the section '{}' is of version {}; this program knows 1 and leaves it out",
                                 name, version)});
  };
  read("execution_trace",
       [&](dom::element section) { capture.trace = read_execution_trace(section, capture.tree); });
  read("fx_graph", [&](dom::element section) { capture.fx = read_fx_graph(section, capture.tree); });
  read("module_map",
       [&](dom::element section) { capture.module_map = read_module_map(section, capture.tree); });
}

}  // namespace

std::optional<std::uint64_t> CapturedParameter::content() const {
  if (unordered || data.empty()) return unordered;
  return content_of(data, width).unordered;
}

Result<Capture> read_capture(std::string_view text, const std::string& label, Diagnostics& diagnostics) {
  if (base::ZipArchive::begins(text)) return read_saved_program(text, label, diagnostics);
  if (text.size() > largest_capture)
    return bad(
        label, "C006",
        fmt::format("has {} bytes; captures of more than {} are not read", text.size(), largest_capture));
  dom::parser parser;
  dom::element file;
  const simdjson::padded_string padded(text);
  if (const auto error = parser.parse(padded).get(file); error != simdjson::SUCCESS)
    return bad(label, "C001", fmt::format("is not JSON: {}", simdjson::error_message(error)));
  if (is_htp_metadata(file)) return read_htp_metadata(file, label);
  const std::string_view schema = text_or(file, "schema", "");
  if (schema != "thence.capture/1")
    return bad(label, "C002",
               fmt::format("is not a capture file: its schema is '{}', not 'thence.capture/1'",
                           base::printable(schema)));
  Capture capture;
  dom::object sections;
  if (file["sections"].get_object().get(sections) != simdjson::SUCCESS)
    return bad(label, "C003", "has no sections");
  for (const auto& [name, section] : sections) capture.sections.emplace_back(name);
  dom::element hierarchy;
  if (file["sections"]["hierarchy"].get(hierarchy) != simdjson::SUCCESS)
    return bad(label, "C003", "has no section 'hierarchy'");
  std::int64_t version = 0;
  if (hierarchy["version"].get_int64().get(version) != simdjson::SUCCESS || version < 1)
    return bad(label, "C003", "the hierarchy has no version");
  if (version > known_hierarchy_version)
    diagnostics.add(
        {"C005", Severity::warning, label,
         fmt::format("the hierarchy is of version {}; this program knows {} and reads what it can", version,
                     known_hierarchy_version)});
  if (auto error = read_modules(hierarchy, label, capture)) return *error;
  read_parameters(hierarchy, capture);
  capture.tree.set_complete();
  read_recordings(file["sections"], label, capture, diagnostics);
  return capture;
}

Result<Capture> open_capture(const std::string& path, Diagnostics& diagnostics) {
  Result<base::MappedFile> file =
      path == "-" ? base::MappedFile::standard_input() : base::MappedFile::open(path);
  if (!file) return file.error();
  Result<Capture> capture = read_capture(file->bytes(), path == "-" ? "standard input" : path, diagnostics);
  if (capture) capture->file = *std::move(file);
  return capture;
}

std::optional<Error> check_same_model(const Capture& capture, const onnx::Model& model,
                                      const std::string& label) {
  std::unordered_set<std::string_view> known;
  for (const CapturedParameter& parameter : capture.parameters) {
    known.insert(parameter.path);
    known.insert(parameter.aliases.begin(), parameter.aliases.end());
  }
  // A capture without parameters is compared by its modules; one that lists some of them, by those around.
  const auto has_module = [&](std::string_view path) {
    if (path.size() > ModuleTree::max_path_length) return false;
    while (!path.empty() && capture.tree.find(path) == no_module) {
      const std::size_t dot = path.rfind('.');
      if (capture.tree.complete() || dot == std::string_view::npos) return false;
      path = path.substr(0, dot);
    }
    return true;
  };
  std::size_t named = 0, found = 0;
  for (const onnx::Initializer& initializer : model.initializers()) {
    if (initializer.value == onnx::none) continue;
    const std::string_view path = parameter_path(model.value_name(initializer.value));
    if (path.find('.') == std::string_view::npos) continue;
    ++named;
    found += known.empty() ? has_module(path.substr(0, path.rfind('.'))) : known.contains(path);
  }
  if (named < 3 || found > 0) return std::nullopt;
  return Error{
      ErrorKind::bad_input, "C004",
      fmt::format("{}: is the capture of another model: it knows none of the {} parameters that {} names",
                  base::printable(label), named, base::printable(model.file())),
      "give the capture that was made of this model, or none"};
}

}  // namespace thence::hierarchy
