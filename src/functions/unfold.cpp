#include "functions/unfold.h"

#include <algorithm>
#include <utility>

#include "functions/expand.h"
#include "functions/restore.h"

namespace thence::functions {
namespace {

using onnx::Graph;

bool is_folded_function(const Graph& graph) { return graph.domain == folded_domain; }

Result<onnx::Model> read_flat(const wire::Splice& splice, const onnx::Model& folded,
                              Diagnostics& diagnostics) {
  Result<base::MemoryImage> image = splice.assemble();
  if (!image) return image.error();
  return onnx::Model::read(*std::move(image), folded, diagnostics);
}

// Problems in the folded form are those of the flat form, which is read next.
Result<onnx::Model> flatten(Result<onnx::Model> model, Diagnostics found, Diagnostics& diagnostics) {
  if (!model) return model;
  if (!is_folded(*model)) {
    diagnostics = std::move(found);
    return model;
  }
  Result<Unfolded> flat = unfold_model(*model, diagnostics);
  if (!flat) return flat.error();
  return std::move(flat->flat);
}

}  // namespace

bool has_functions(const onnx::Model& model) {
  return std::any_of(model.graphs().begin(), model.graphs().end(),
                     [](const Graph& graph) { return graph.kind == Graph::Kind::function; });
}

// A record may be damaged in ways that only show when the result is read.
Result<Unfolded> unfold_model(const onnx::Model& model, Diagnostics& diagnostics) {
  if (is_folded(model)) {
    const Result<CallGraph> calls = CallGraph::make(model, is_folded_function);
    if (!calls) return calls.error();
    if (const std::optional<FoldRecord> record = read_record(model))
      if (std::optional<wire::Splice> splice = restore_model(model, *calls, *record)) {
        Diagnostics found;
        Result<onnx::Model> flat = read_flat(*splice, model, found);
        if (flat) {
          diagnostics = std::move(found);
          return Unfolded{*std::move(splice), *std::move(flat), true, {}};
        }
        if (flat.error().kind == ErrorKind::input_output) return flat.error();  // there is no memory left
      }
  }
  Result<Expanded> expanded =
      expand_functions(model, is_folded(model) ? is_folded_function : [](const Graph&) { return true; });
  if (!expanded) return expanded.error();
  Result<onnx::Model> flat = read_flat(expanded->model, model, diagnostics);
  if (!flat) return flat.error();
  return Unfolded{std::move(expanded->model), *std::move(flat), false, std::move(expanded->kept)};
}

Result<onnx::Model> open_model(const std::string& path, Diagnostics& diagnostics) {
  Diagnostics found;
  Result<onnx::Model> model = onnx::Model::open(path, found);
  return flatten(std::move(model), std::move(found), diagnostics);
}

Result<onnx::Model> read_model(std::string_view bytes, const std::string& label, Diagnostics& diagnostics) {
  Diagnostics found;
  Result<onnx::Model> model = onnx::Model::read(bytes, label, found);
  return flatten(std::move(model), std::move(found), diagnostics);
}

}  // namespace thence::functions
