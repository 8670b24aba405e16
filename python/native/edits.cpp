// thence._core.tag, strip, add_ids, extract, fold, unfold, convert: functions that make a file.
//
// With a path as `output` they write there; without one they give the content.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "edit/check.h"
#include "edit/extract.h"
#include "edit/fold.h"
#include "edit/rewrite.h"
#include "edit/tag.h"
#include "functions/unfold.h"
#include "given.h"
#include "output/formats.h"
#include "output/other_formats.h"
#include "output/text_formats.h"
#include "query/tables.h"
#include "released.h"

namespace nb = nanobind;

namespace thence::python {
namespace {

using semantics::Map;
using semantics::MapOptions;
using Content = std::optional<std::string>;  // none: it was written to a file

Content store(const std::string& output, const wire::Splice& splice) {
  const auto write = [&](base::Writer& out) { splice.write(out); };
  if (output.empty()) return written_text(write);
  if (const std::optional<Error> error = base::write_atomically(output, write)) fail(*error);
  return std::nullopt;
}

nb::object to_python(const Content& content) {
  if (content) return to_bytes(*content);
  return nb::none();
}

// The content, and the map as JSON.
nb::tuple tag(const GivenModel& model, const MapOptions& options, const std::string& output,
              bool with_namespace, bool strip_stack_traces) {
  Content content;
  const std::string json = released([&] {
    const Map map = value_of(model.map(options));
    edit::TagOptions how{.with_namespace = with_namespace, .strip_stack_traces = strip_stack_traces};
    how = value_of(edit::complete_tag_options(std::move(how), map, options.capture));
    content = store(output, edit::tag_model(map, how));
    return written_text([&](base::Writer& out) { output::write_map_json(map, 1, out); });
  });
  return nb::make_tuple(to_python(content), to_bytes(json));
}

// The content, and whether there was anything to remove.
nb::tuple strip(const GivenModel& model, const std::string& output) {
  Content content;
  const bool any = released([&] {
    const onnx::Model flat = value_of(model.open_flat());
    content = store(output, edit::remove_entries(flat));
    return edit::has_entries(flat);
  });
  return nb::make_tuple(to_python(content), any);
}

nb::object add_ids(const GivenModel& model, const std::string& output) {
  return to_python(released([&] { return store(output, edit::add_ids(value_of(model.open_flat()))); }));
}

struct Extracted {
  Content content;
  edit::Subgraph part;
  std::size_t nodes = 0;  // of the whole model
};

std::vector<std::string> names_of(const std::vector<edit::Boundary>& values) {
  std::vector<std::string> names;
  for (const edit::Boundary& value : values) names.push_back(value.name);
  return names;
}

// Nothing is written if a type is missing, unless `allow_untyped`: Python infers it and calls again.
Extracted extract_part(const GivenModel& model, const MapOptions& options, const edit::ExtractOptions& what,
                       const std::string& types_json, bool allow_untyped, const std::string& output) {
  const Map map = value_of(model.map(options));
  edit::Types types = edit::types_of_model(map.model());
  if (!types_json.empty())
    if (const auto error = edit::add_types_from_json(types_json, "types", types)) fail(*error);
  Result<edit::Subgraph> part = edit::find_subgraph(map, what, types);
  if (!part) throw Failure{part.error(), nothing_found};
  Extracted found{std::nullopt, *std::move(part), map.model().node_count()};
  if (found.part.untyped.empty() || allow_untyped)
    found.content = store(output, edit::extract_model(map, found.part, types));
  return found;
}

// The content, and a mapping that describes the part.
nb::tuple extract(const GivenModel& model, const MapOptions& options, const std::string& module,
                  std::optional<std::size_t> call, bool keep_names, const std::string& types_json,
                  bool allow_untyped, const std::string& output) {
  const Extracted found = released([&] {
    return extract_part(model, options, {module, call, keep_names}, types_json, allow_untyped, output);
  });
  nb::dict about;
  about["nodes"] = found.part.nodes.size();
  about["of_nodes"] = found.nodes;
  about["initializers"] = found.part.initializers.size();
  about["inputs"] = names_of(found.part.inputs);
  about["outputs"] = names_of(found.part.outputs);
  about["call"] = found.part.call;
  about["calls"] = found.part.calls;
  about["untyped"] = found.part.untyped;
  return nb::make_tuple(to_python(found.content), about);
}

struct Folded {
  Content content;
  std::size_t modules = 0, functions = 0, nodes = 0, main_nodes = 0;
  std::vector<std::string> in_pieces, unused, only_bodies;
  bool is_exact = true;
};

std::vector<std::string> paths_of(const std::vector<modules::ModuleId>& modules, const Map& map) {
  std::vector<std::string> paths;
  for (const modules::ModuleId module : modules) paths.emplace_back(map.tree()[module].path);
  return paths;
}

Folded fold_modules(const GivenModel& model, const MapOptions& options, const edit::FoldOptions& how,
                    const std::string& output) {
  const Map map = value_of(model.map(options));
  const Result<edit::Fold> fold = edit::plan_fold(map, how);
  if (!fold && fold.error().kind == ErrorKind::usage) throw Failure{fold.error(), nothing_found};
  if (!fold) fail(fold.error());
  const edit::FoldedModel folded = value_of(edit::fold_model(*fold));
  const edit::FoldSummary summary = edit::summarise_fold(*fold);
  return {.content = store(output, folded.model),
          .modules = summary.modules,
          .functions = fold->bodies.functions.size(),
          .nodes = fold->graph.size(),
          .main_nodes = fold->bodies.by_group.front().steps.size(),
          .in_pieces = paths_of(summary.in_pieces, map),
          .unused = paths_of(summary.unused, map),
          .only_bodies = paths_of(summary.only_bodies, map),
          .is_exact = folded.is_exact};
}

// The content, and a mapping that describes the result.
nb::tuple fold(const GivenModel& model, const MapOptions& options, std::uint32_t depth,
               const std::string& modules, const std::string& output) {
  const Folded found = released([&] { return fold_modules(model, options, {depth, modules}, output); });
  nb::dict about;
  about["modules"] = found.modules;
  about["functions"] = found.functions;
  about["nodes"] = found.main_nodes;
  about["of_nodes"] = found.nodes;
  about["in_pieces"] = found.in_pieces;
  about["unused"] = found.unused;
  about["only_bodies"] = found.only_bodies;
  about["is_exact"] = found.is_exact;
  return nb::make_tuple(to_python(found.content), about);
}

// The content, and a mapping that describes the result; None for a model without functions, and, if only
// folded models are wanted, for one that is not folded.
nb::object unfold(const GivenModel& model, const std::string& output, bool only_folded) {
  Content content;
  bool any = false, is_restored = false;
  std::vector<std::string> kept;
  released([&] {
    const onnx::Model given = value_of(model.open());
    any = only_folded ? functions::is_folded(given) : functions::has_functions(given);
    if (!any) return;
    Diagnostics ignored;
    const functions::Unfolded unfolded = value_of(functions::unfold_model(given, ignored));
    content = store(output, unfolded.model);
    is_restored = unfolded.is_restored;
    kept = unfolded.kept;
  });
  if (!any) return nb::none();
  nb::dict about;
  about["is_restored"] = is_restored;
  about["kept"] = kept;
  return nb::make_tuple(to_python(content), about);
}

nb::bytes convert(const GivenModel& model, const MapOptions& options, const std::string& format) {
  return to_bytes(released([&] {
    const Map map = value_of(model.map(options));
    return written_text([&](base::Writer& out) {
      if (format == "parquet")  // lines that Python converts
        output::write_map_records(map, 1, out);
      else if (const output::TextFormat* const found = output::find_text_format(format))
        found->write(map, out);
    });
  }));
}

void write_database(const GivenModel& model, const MapOptions& options, const std::string& output) {
  released([&] {
    const Map map = value_of(model.map(options));
    if (const std::optional<Error> error = query::write_database(map, output)) fail(*error);
  });
}

// Writes a file as a whole, or not at all.
void write_file(const std::string& path, const nb::bytes& content) {
  const std::string_view bytes(content.c_str(), content.size());
  released([&] {
    const auto write = [&](base::Writer& out) { out.write_through(bytes); };
    if (const std::optional<Error> error = base::write_atomically(path, write)) fail(*error);
  });
}

std::vector<std::string> text_format_names() {
  std::vector<std::string> names;
  for (const output::TextFormat& format : output::text_formats()) names.emplace_back(format.name);
  return names;
}

}  // namespace

void add_edits(nb::module_& module) {
  module.def("tag", &tag, nb::arg("model"), nb::arg("options"), nb::arg("output"),
             nb::arg("with_namespace") = false, nb::arg("strip_stack_traces") = false);
  module.def("strip", &strip, nb::arg("model"), nb::arg("output"));
  module.def("add_ids", &add_ids, nb::arg("model"), nb::arg("output"));
  module.def("extract", &extract, nb::arg("model"), nb::arg("options"), nb::arg("module"),
             nb::arg("call").none(), nb::arg("keep_names"), nb::arg("types_json"), nb::arg("allow_untyped"),
             nb::arg("output"));
  module.def("fold", &fold, nb::arg("model"), nb::arg("options"), nb::arg("depth"), nb::arg("modules"),
             nb::arg("output"));
  module.def("unfold", &unfold, nb::arg("model"), nb::arg("output"), nb::arg("only_folded") = false);
  module.def("convert", &convert, nb::arg("model"), nb::arg("options"), nb::arg("format"));
  module.def("write_database", &write_database, nb::arg("model"), nb::arg("options"), nb::arg("output"));
  module.def("write_file", &write_file, nb::arg("path"), nb::arg("content"));
  module.attr("text_formats") = nb::cast(text_format_names());
}

}  // namespace thence::python
