#include "capture/saved_program.h"

#include <algorithm>

#include "base/format.h"
#include "base/json.h"
#include "base/text.h"
#include "base/zip_archive.h"
#include "capture/limits.h"
#include "capture/saved_graph.h"
#include "capture/saved_weights.h"

namespace thence::capture {
namespace {

using base::JsonValue;
using base::ZipArchive;

constexpr std::uint64_t known_schema = 8;
constexpr const char* save_again = "save the program again with torch.export.save";

// The location of a program and its files in an archive.
struct ProgramLocation {
  const ZipArchive::Entry* program = nullptr;
  std::string top, name;  // the top folder is "" or ends in '/'
};

// Matches "<archive>/models/<name>.json" with any top folder or none.
std::optional<ProgramLocation> program_location(const ZipArchive::Entry& entry) {
  constexpr std::string_view folder = "models/", ending = ".json";
  const std::size_t slash = entry.name.rfind('/');
  if (slash == std::string_view::npos || !entry.name.ends_with(ending)) return std::nullopt;
  const std::string_view before = entry.name.substr(0, slash + 1);
  if (!before.ends_with(folder)) return std::nullopt;
  const std::string_view top = before.substr(0, before.size() - folder.size());
  if (std::count(top.begin(), top.end(), '/') > 1 || (!top.empty() && top.back() != '/')) return std::nullopt;
  const std::string_view file = entry.name.substr(slash + 1);
  return ProgramLocation{&entry, std::string(top), std::string(file.substr(0, file.size() - ending.size()))};
}

Result<ProgramLocation> find_program(const ZipArchive& archive, const std::string& label) {
  if (const ZipArchive::Entry* older = archive.find("serialized_exported_program.json"))
    return ProgramLocation{older, {}, {}};
  std::vector<ProgramLocation> locations;
  for (const ZipArchive::Entry& entry : archive.entries())
    if (auto location = program_location(entry)) locations.push_back(*std::move(location));
  if (locations.size() == 1) return locations.front();
  const auto is_default_name = [](const ProgramLocation& location) { return location.name == "model"; };
  if (std::count_if(locations.begin(), locations.end(), is_default_name) == 1)
    return *std::find_if(locations.begin(), locations.end(), is_default_name);
  if (locations.empty())
    return Error{ErrorKind::bad_input, "A003",
                 base::format("{}: the archive contains no exported program", base::printable(label)),
                 "give one that torch.export.save wrote; a checkpoint or a compiled package holds none"};
  std::string names;
  for (const ProgramLocation& location : locations)
    if (names.size() < 200) names.append(names.empty() ? "" : ", ").append(base::printable(location.name));
  return Error{ErrorKind::bad_input, "A003",
               base::format("{}: the archive contains {} programs, none of them named 'model': {}",
                            base::printable(label), locations.size(), names),
               "save the program of this model into a separate archive"};
}

// Parameters and buffers, each under its first path.
class ParameterList {
 public:
  ParameterList(SavedWeights weights, Capture& capture) : weights_(std::move(weights)), capture_(capture) {}

  /// Registers a path and returns the first path of the same tensor.
  std::string add(std::string_view path, bool is_buffer) {
    const auto saved = weights_.find(std::string(path));
    const SavedTensor tensor = saved == weights_.end() ? SavedTensor() : saved->second;
    std::vector<CapturedParameter>& all = capture_.parameters;
    if (!tensor.storage_key.empty()) {
      const auto [first, is_new] = by_storage_key_.emplace(tensor.storage_key, all.size());
      if (!is_new) {
        all[first->second].aliases.emplace_back(path);
        return all[first->second].path;
      }
    }
    CapturedParameter& added = all.emplace_back();
    added.path = path;
    if (!tensor.data.empty()) added.pieces = {tensor.data};
    added.width = tensor.width;
    added.dtype = tensor.dtype;
    added.is_buffer = is_buffer;
    added.has_dims = tensor.dims.has_value();
    added.dims = tensor.dims.value_or(std::vector<std::int64_t>());
    return added.path;
  }

 private:
  SavedWeights weights_;
  Capture& capture_;
  std::unordered_map<std::string, std::size_t> by_storage_key_;  // in Capture::parameters
};

// Reads the inputs of the program. `module` is the graph with its signature.
SavedSignature read_signature(JsonValue module, SavedWeights weights, Capture& capture) {
  ParameterList parameters(std::move(weights), capture);
  SavedSignature signature;
  const auto add = [&](std::string_view input, std::string_view path, bool is_buffer) {
    const std::size_t dot = path.rfind('.');
    const std::string_view owner = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
    if (!path.empty() && capture.tree.add(owner) != no_module)
      signature.emplace(input, parameters.add(path, is_buffer));
  };
  for (const JsonValue input : module["signature"]["input_specs"].items())
    for (const auto& [kind, name] :
         {std::pair("parameter", "parameter_name"), std::pair("buffer", "buffer_name")})
      add(input[kind]["arg"]["name"].text_or({}), input[kind][name].text_or({}),
          std::string_view(kind) == "buffer");
  return signature;
}

// Adds every path of every module, in the order of registration.
void read_modules(JsonValue module, ModuleTree& tree) {
  for (const JsonValue call : module["module_call_graph"].items()) {
    const std::string_view path = call["fqn"].text_or({});
    tree.add(path.substr(0, path.find('@')));  // further calls may be listed as "path@1"
  }
}

Result<Capture> read_program(const ZipArchive& archive, const ProgramLocation& location,
                             const std::string& label, Diagnostics& diagnostics) {
  const auto bad = [&](const char* code, const std::string& what, const char* advice = save_again) {
    return Error{
        ErrorKind::bad_input, code,
        base::format("{}: {} {}", base::printable(label), base::printable(location.program->name), what),
        advice};
  };
  if (!location.program->stored)
    return bad("A002", "is compressed or encrypted", "create the archive without compression: zip -0");
  const std::string_view text = location.program->data;
  if (text.size() > max_capture_bytes)
    return bad("C006",
               base::format("has {} bytes; more than {} are not read", text.size(), max_capture_bytes));
  const base::JsonDocument document(text);
  if (document.error()) return bad("A004", base::format("is not JSON: {}", *document.error()));
  const JsonValue file = document.root(), module = file["graph_module"], graph = module["graph"];
  if (!graph["nodes"].is_array()) return bad("A004", "has no graph with nodes");
  if (const auto version = file["schema_version"]["major"].natural(); version > known_schema)
    diagnostics.add({"C005", Severity::warning, label,
                     base::format("the program is of version {}; thence knows {} and reads what it can",
                                  *version, known_schema)});
  Capture capture;
  capture.sections = {"hierarchy", "fx_graph"};
  // A few bytes of paths can require many modules. A real program has hundreds of bytes for each module.
  capture.tree.set_memory_limit(min_module_memory_bytes + module_memory_per_byte * text.size());
  read_modules(module, capture.tree);
  const std::size_t listed = capture.tree.size();
  const SavedSignature signature =
      read_signature(module, read_saved_weights(archive, location.top, location.name), capture);
  capture.fx = read_saved_graph(graph, signature, capture.tree);
  if (capture.tree.is_full()) return bad("A004", "names more modules than its size allows");
  capture.tree.set_memory_limit(static_cast<std::size_t>(-1));
  // If the graph names other modules, the list of modules is incomplete.
  if (capture.tree.size() == listed) capture.tree.set_complete();
  capture.tree.set_registration_order();
  return capture;
}

}  // namespace

Result<Capture> read_saved_program(std::string_view bytes, const std::string& label,
                                   Diagnostics& diagnostics) {
  Result<ZipArchive> archive = ZipArchive::open(bytes, label);
  if (!archive) return archive.error();
  Result<ProgramLocation> location = find_program(*archive, label);
  if (!location) return location.error();
  return read_program(*archive, *location, label, diagnostics);
}

}  // namespace thence::capture
