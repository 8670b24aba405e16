// Expands the functions of a model, and folds its modules: unfolding restores the model.
#include "../fuzz.h"
#include "edit/fold.h"
#include "functions/unfold.h"
#include "pipeline/pipeline.h"

namespace thence::fuzz {
namespace {

void unfold(std::string_view input) {
  Diagnostics diagnostics;
  Result<onnx::Model> read = onnx::Model::read(input, "model.onnx", diagnostics);
  const onnx::Model* model = value_of(read);
  if (model == nullptr || !functions::has_functions(*model)) return;
  Result<functions::Unfolded> unfolded = functions::unfold_model(*model, diagnostics);
  if (const functions::Unfolded* flat = value_of(unfolded)) {
    const std::string text = text_of([&](base::Writer& out) { flat->model.write(out); });
    require(bool(onnx::Model::read(text, "flat.onnx", diagnostics)), "an expanded model can be read");
  }
}

void check_folded(const semantics::Map& map, const edit::Fold& fold, const edit::FoldedModel& folded) {
  (void)edit::summarise_fold(fold);
  const std::string text = text_of([&](base::Writer& out) { folded.model.write(out); });
  Diagnostics diagnostics;
  const Result<onnx::Model> read = onnx::Model::read(text, "folded.onnx", diagnostics);
  require(bool(read), "a folded model can be read");
  const Result<functions::Unfolded> unfolded = functions::unfold_model(*read, diagnostics);
  if (!unfolded) require(false, "a folded model can be unfolded: " + unfolded.error().text);
  require(unfolded->is_restored, "a folded model is restored");
  if (!folded.is_exact) return;
  const std::string flat = text_of([&](base::Writer& out) { unfolded->model.write(out); });
  require(flat == map.model().bytes(), "a folded model is restored byte by byte");
}

void fold_and_unfold(std::string_view input) {
  unfold(input);
  Result<semantics::Map> made = pipeline::map_bytes(input, "model.onnx", {});
  const semantics::Map* map = value_of(made);
  if (map == nullptr) return;
  for (const std::uint32_t depth : {0u, 1u}) {
    Result<edit::Fold> plan = edit::plan_fold(*map, {.depth = depth});
    const edit::Fold* fold = value_of(plan);
    if (fold == nullptr) return;
    Result<edit::FoldedModel> folded = edit::fold_model(*fold);
    if (const edit::FoldedModel* result = value_of(folded)) check_folded(*map, *fold, *result);
  }
}

const Registration functions_target({"functions", fold_and_unfold, {Part::model}});

}  // namespace
}  // namespace thence::fuzz
