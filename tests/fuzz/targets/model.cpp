// Reads a model and everything in it.
#include "onnx/model.h"
#include "../fuzz.h"
#include "model_lines.h"

namespace thence::fuzz {
namespace {

void read_model(std::string_view input) {
  Diagnostics diagnostics;
  Result<onnx::Model> read = onnx::Model::read(input, "model.onnx", diagnostics);
  for (const Diagnostic& each : diagnostics.kept()) {
    require_printable(each.text, "diagnostic");
    require_printable(each.where, "place of a diagnostic");
  }
  const onnx::Model* model = value_of(read);
  if (model == nullptr) return;
  require(!tools::model_lines(*model).empty(), "a model can be listed");
}

const Registration model_target({"model", read_model, {Part::model}});

}  // namespace
}  // namespace thence::fuzz
