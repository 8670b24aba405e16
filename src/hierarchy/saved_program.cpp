#include "hierarchy/saved_program.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "base/text.h"
#include "base/zip_archive.h"
#include "hierarchy/json_read.h"
#include "hierarchy/saved_graph.h"
#include "hierarchy/saved_weights.h"

namespace thence::hierarchy {
namespace {

namespace dom = simdjson::dom;
using base::ZipArchive;

constexpr std::uint64_t known_schema = 8;
constexpr const char* save_again = "save the program anew with torch.export.save";

// Where one program and what belongs to it lie in an archive.
struct Place {
  const ZipArchive::Entry* program = nullptr;
  std::string top, name;  // the folder that holds all is "" or ends in '/'
};

// "<archive>/models/<name>.json", whatever the folder around it is called, and without one.
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
                 fmt::format("{}: is an archive without an exported program", base::printable(label)),
                 "give one that torch.export.save wrote; a checkpoint or a compiled package holds none"};
  std::string names;
  for (const Place& place : places)
    if (names.size() < 200) names.append(names.empty() ? "" : ", ").append(base::printable(place.name));
  return Error{ErrorKind::bad_input, "A003",
               fmt::format("{}: holds {} programs, and not one that is called 'model': {}",
                           base::printable(label), places.size(), names),
               "save the one that this model was made of into an archive of its own"};
}

class ProgramReader {
 public:
  ProgramReader(const ZipArchive& archive, Place place, const std::string& label, Diagnostics& diagnostics)
      : archive_(archive), place_(std::move(place)), label_(label), diagnostics_(diagnostics) {}

  Result<Capture> read() {
    dom::parser parser;
    if (!place_.program->stored)
      return bad("A002", "is compressed or encrypted", "pack the archive anew without compression");
    const std::string_view text = place_.program->data;
    if (text.size() > largest_capture)
      return bad("C006", fmt::format("has {} bytes; more than {} are not read", text.size(), largest_capture),
                 save_again);
    dom::element file;
    const simdjson::padded_string padded(text);
    if (const auto error = parser.parse(padded).get(file); error != simdjson::SUCCESS)
      return bad("A004", fmt::format("is not JSON: {}", simdjson::error_message(error)), save_again);
    dom::element graph;
    if (file["graph_module"]["graph"].get(graph) != simdjson::SUCCESS || !graph["nodes"].is_array())
      return bad("A004", "has no graph with nodes", save_again);
    check_version(file);
    Capture capture;
    capture.sections = {"hierarchy", "fx_graph"};
    // A few bytes of paths can ask for many modules; a program spends hundreds on each.
    capture.tree.set_room((std::size_t{16} << 20) + 8 * text.size());
    each(file["graph_module"], "module_call_graph", [&](dom::element module) {
      const std::string_view path = text_or(module, "fqn", {});
      capture.tree.add(path.substr(0, path.find('@')));  // a call of its own is listed as "path@1"
    });
    const std::size_t listed = capture.tree.size();
    const SavedSignature signature = read_signature(file["graph_module"]["signature"], capture);
    capture.fx = read_saved_graph(graph, signature, capture.tree);
    if (capture.tree.full())
      return bad("A004", "speaks of more modules than its size allows for", save_again);
    capture.tree.set_room(static_cast<std::size_t>(-1));
    // A list of modules that lacks one is not the whole list.
    if (capture.tree.size() == listed) capture.tree.set_complete();
    return capture;
  }

 private:
  Error bad(const char* code, const std::string& what, const char* advice) const {
    return {ErrorKind::bad_input, code,
            fmt::format("{}: {} {}", base::printable(label_), base::printable(place_.program->name), what),
            advice};
  }

  // What the program's inputs are: parameters and buffers, each under the first of its paths.
  SavedSignature read_signature(simdjson::simdjson_result<dom::element> inputs, Capture& capture) const {
    const SavedWeights weights = read_saved_weights(archive_, place_.top, place_.name);
    std::unordered_map<std::string_view, std::size_t> by_memory;  // in capture.parameters
    SavedSignature signature;
    const auto add = [&](std::string_view input, std::string_view path) {
      const std::size_t dot = path.rfind('.');
      const std::string_view owner = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
      if (path.empty() || capture.tree.add(owner) == no_module) return;
      const auto saved = weights.find(std::string(path));
      if (saved != weights.end() && !saved->second.memory.empty()) {
        const auto [first, fresh] = by_memory.emplace(saved->second.memory, capture.parameters.size());
        if (!fresh) {
          capture.parameters[first->second].aliases.emplace_back(path);
          signature.emplace(input, capture.parameters[first->second].path);
          return;
        }
      }
      CapturedParameter parameter;
      parameter.path = path;
      if (saved != weights.end()) {
        parameter.data = saved->second.data;
        parameter.width = saved->second.width;
      }
      capture.parameters.push_back(std::move(parameter));
      signature.emplace(input, path);
    };
    each(inputs, "input_specs", [&](dom::element input) {
      for (const auto& [kind, name] :
           {std::pair("parameter", "parameter_name"), std::pair("buffer", "buffer_name")})
        add(text_or(input[kind]["arg"], "name", {}), text_or(input[kind], name, {}));
    });
    return signature;
  }

  void check_version(dom::element file) const {
    const std::uint64_t version = number(file["schema_version"], "major").value_or(known_schema);
    if (version > known_schema)
      diagnostics_.add({"C005", Severity::warning, label_,
                        fmt::format("the program is of version {}; thence knows {} and reads what it can",
                                    version, known_schema)});
  }

  const ZipArchive& archive_;
  Place place_;
  const std::string& label_;
  Diagnostics& diagnostics_;
};

}  // namespace

Result<Capture> read_saved_program(std::string_view bytes, const std::string& label,
                                   Diagnostics& diagnostics) {
  Result<ZipArchive> archive = ZipArchive::open(bytes, label);
  if (!archive) return archive.error();
  Result<Place> place = find_program(*archive, label);
  if (!place) return place.error();
  return ProgramReader(*archive, *std::move(place), label, diagnostics).read();
}

}  // namespace thence::hierarchy
