// Reads a truth file, and scores a map with it.
#include "score/truth.h"

#include "../fuzz.h"
#include "output/formats.h"
#include "pipeline/pipeline.h"
#include "score/score.h"

namespace thence::fuzz {
namespace {

void score_map(std::string_view input) {
  const auto [model, text] = split_pair(input);
  Result<score::Truth> read = score::read_truth(text, "truth.json");
  const score::Truth* truth = value_of(read);
  if (truth == nullptr) return;
  Result<semantics::Map> made = pipeline::map_bytes(model, "model.onnx", {});
  const semantics::Map* map = value_of(made);
  if (map == nullptr) return;
  Result<score::Score> scored = score::score(*map, *truth, "truth.json");
  const score::Score* found = value_of(scored);
  if (found == nullptr) return;
  require_json(
      text_of([&](base::Writer& out) { output::write_score_json(*found, "model.onnx", "auto", out); }),
      "score");
  require_printable(text_of([&](base::Writer& out) { output::write_score_table(*found, out); }),
                    "table of scores");
}

const Registration truth_target({"truth", score_map, {Part::model, Part::text}});

}  // namespace
}  // namespace thence::fuzz
