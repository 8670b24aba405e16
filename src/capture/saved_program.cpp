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
constexpr const char* save_again = "save the program anew with torch.export.save";

// The location of a program and its files in an archive.
struct Place {
  const ZipArchive::Entry* program = nullptr;
  std::string top, name;  // the top folder is "" or ends in '/'
};

// Matches "<archive>/models/<name>.json" with any top folder or none.
std::optional<Place> as_program(const ZipArchive::Entry& entry) {
  constexpr std::string_view folder = "models/", ending = ".json";
  const std::size_t slash = entry.name.rfind('/');
  if (slash == std::string_view::npos || !entry.name.ends_with(ending)) return std::nullopt;
  const std::string_view before = entry.name.substr(0, slash + 1);
  if (!before.ends_with(folder)) return std::nullopt;
  const std::string_view top = before.substr(0, before.size() - folder.size());
  if (std::count(top.begin(), top.end(), '/') > 1 || (!top.empty() && top.back() != '/')) return std::nullopt;
  const std::string_view file = entry.name.substr(slash + 1);
  return Place{&entry, std::string(top), std::string(file.substr(0, file.size() - ending.size()))};
}

Result<Place> find_program(const ZipArchive& archive, const std::string& label) {
  if (const ZipArchive::Entry* older = archive.find("serialized_exported_program.json"))
    return Place{older, {}, {}};
  std::vector<Place> places;
  for (const ZipArchive::Entry& entry : archive.entries())
    if (auto place = as_program(entry)) places.push_back(*std::move(place));
  if (places.size() == 1) return places.front();
  const auto usual = [](const Place& place) { return place.name == "model"; };
  if (std::count_if(places.begin(), places.end(), usual) == 1)
    return *std::find_if(places.begin(), places.end(), usual);
  if (places.empty())
    return Error{ErrorKind::bad_input, "A003",
                 base::format("{}: the archive contains no exported program", base::printable(label)),
                 "give one that torch.export.save wrote; a checkpoint or a compiled package holds none"};
  std::string names;
  for (const Place& place : places)
    if (names.size() < 200) names.append(names.empty() ? "" : ", ").append(base::printable(place.name));
  return Error{ErrorKind::bad_input, "A003",
               base::format("{}: the archive contains {} programs, none of them named 'model': {}",
                            base::printable(label), places.size(), names),
               "save the program of this model into a separate archive"};
}

// Parameters and buffers, each under its first path.
class ParameterList {
 public:
  ParameterList(SavedWeights weights, Capture& capture) : weights_(std::move(weights)), capture_(capture) {}

  /// Registers a path and returns the first path of the same tensor.
  std::string add(std::string_view path) {
    const auto saved = weights_.find(std::string(path));
    const SavedTensor tensor = saved == weights_.end() ? SavedTensor() : saved->second;
    std::vector<CapturedParameter>& all = capture_.parameters;
    if (!tensor.memory.empty()) {
      const auto [first, fresh] = by_memory_.emplace(tensor.memory, all.size());
      if (!fresh) {
        all[first->second].aliases.emplace_back(path);
        return all[first->second].path;
      }
    }
    CapturedParameter& added = all.emplace_back();
    added.path = path;
    added.data = tensor.data;
    added.width = tensor.width;
    return added.path;
  }

 private:
  SavedWeights weights_;
  Capture& capture_;
  std::unordered_map<std::string, std::size_t> by_memory_;  // in Capture::parameters
};

// Reads the inputs of the program. `module` is the graph with its signature.
SavedSignature read_signature(JsonValue module, SavedWeights weights, Capture& capture) {
  ParameterList parameters(std::move(weights), capture);
  SavedSignature signature;
  const auto add = [&](std::string_view input, std::string_view path) {
    const std::size_t dot = path.rfind('.');
    const std::string_view owner = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
    if (!path.empty() && capture.tree.add(owner) != no_module) signature.emplace(input, parameters.add(path));
  };
  for (const JsonValue input : module["signature"]["input_specs"].items())
    for (const auto& [kind, name] :
         {std::pair("parameter", "parameter_name"), std::pair("buffer", "buffer_name")})
      add(input[kind]["arg"]["name"].text_or({}), input[kind][name].text_or({}));
  return signature;
}

// Adds every path of every module, in the order of registration.
void read_modules(JsonValue module, ModuleTree& tree) {
  for (const JsonValue call : module["module_call_graph"].items()) {
    const std::string_view path = call["fqn"].text_or({});
    tree.add(path.substr(0, path.find('@')));  // further calls may be listed as "path@1"
  }
}

Result<Capture> read_program(const ZipArchive& archive, const Place& place, const std::string& label,
                             Diagnostics& diagnostics) {
  const auto bad = [&](const char* code, const std::string& what, const char* advice = save_again) {
    return Error{
        ErrorKind::bad_input, code,
        base::format("{}: {} {}", base::printable(label), base::printable(place.program->name), what),
        advice};
  };
  if (!place.program->stored)
    return bad("A002", "is compressed or encrypted", "create the archive without compression: zip -0");
  const std::string_view text = place.program->data;
  if (text.size() > largest_capture)
    return bad("C006", base::format("has {} bytes; more than {} are not read", text.size(), largest_capture));
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
  capture.tree.set_memory_limit(least_room + room_per_byte * text.size());
  read_modules(module, capture.tree);
  const std::size_t listed = capture.tree.size();
  const SavedSignature signature =
      read_signature(module, read_saved_weights(archive, place.top, place.name), capture);
  capture.fx = read_saved_graph(graph, signature, capture.tree);
  if (capture.tree.is_full()) return bad("A004", "names more modules than its size allows");
  capture.tree.set_memory_limit(static_cast<std::size_t>(-1));
  // If the graph names other modules, the list of modules is incomplete.
  if (capture.tree.size() == listed) capture.tree.set_complete();
  return capture;
}

}  // namespace

Result<Capture> read_saved_program(std::string_view bytes, const std::string& label,
                                   Diagnostics& diagnostics) {
  Result<ZipArchive> archive = ZipArchive::open(bytes, label);
  if (!archive) return archive.error();
  Result<Place> place = find_program(*archive, label);
  if (!place) return place.error();
  return read_program(*archive, *place, label, diagnostics);
}

}  // namespace thence::capture
