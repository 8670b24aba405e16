// Tags a model: stripping restores every byte, and the tags fit. Also writes ids, and extracts modules.
#include <algorithm>

#include "../fuzz.h"
#include "edit/check.h"
#include "edit/extract.h"
#include "edit/rewrite.h"
#include "edit/tag.h"
#include "pipeline/pipeline.h"

namespace thence::fuzz {
namespace {

constexpr std::size_t most_extracted = 6;

std::string bytes_of(const wire::Splice& splice) {
  std::string text = text_of([&](base::Writer& out) { splice.write(out); });
  require(text.size() == splice.size(), "the size of what is written is known before");
  return text;
}

std::string strip(std::string_view bytes) {
  Diagnostics diagnostics;
  const Result<onnx::Model> model = onnx::Model::read(bytes, "tagged.onnx", diagnostics);
  require(bool(model), "what was written can be read");
  return bytes_of(edit::remove_entries(*model));
}

void check_tags(const std::string& tagged) {
  Result<semantics::Map> map = pipeline::map_bytes(tagged, "tagged.onnx", {.ignore_tags = true});
  require(bool(map), "a tagged model can be mapped");
  require(edit::check_tags(*map).stale == 0, "no new tag is stale");
}

void tag(const semantics::Map& map, std::string_view bytes, const edit::TagOptions& options) {
  const std::string tagged = bytes_of(edit::tag_model(map, options));
  check_tags(tagged);
  require(strip(tagged) == bytes, "stripping restores every byte");
}

void write_ids(const onnx::Model& model, std::string_view bytes) {
  const std::string marked = bytes_of(edit::add_ids(model));
  require(strip(marked) == bytes, "stripping removes the ids");
  Diagnostics diagnostics;
  const Result<onnx::Model> after = onnx::Model::read(marked, "marked.onnx", diagnostics);
  const edit::Survival found = edit::count_survivors(*after, *after);
  require(found.survived == found.ids && found.vanished + found.merged + found.copied + found.fresh == 0,
          "every id survives in the same file");
}

void extract(const semantics::Map& map) {
  const edit::Types types = edit::types_of_model(map.model());
  for (modules::ModuleId id = 0; id < std::min<std::size_t>(map.tree().size(), most_extracted); ++id) {
    Result<edit::Subgraph> found =
        edit::find_subgraph(map, {.module = std::string(map.tree()[id].path)}, types);
    const edit::Subgraph* part = value_of(found);
    if (part == nullptr) continue;
    const std::string text = bytes_of(edit::extract_model(map, *part, types));
    Diagnostics diagnostics;
    require(bool(onnx::Model::read(text, "part.onnx", diagnostics)), "an extracted module can be read");
  }
}

void write_splices(std::string_view input) {
  Diagnostics diagnostics;
  Result<onnx::Model> read = onnx::Model::read(input, "model.onnx", diagnostics);
  const onnx::Model* model = value_of(read);
  if (model == nullptr) return;
  const std::string bare = bytes_of(edit::remove_entries(*model));  // an input may have tags of its own
  Result<semantics::Map> made = pipeline::map_bytes(bare, "model.onnx", {});
  const semantics::Map* map = value_of(made);
  if (map == nullptr) return;
  tag(*map, bare, {});
  tag(*map, bare, {.with_namespace = true});
  write_ids(map->model(), bare);
  extract(*map);
}

const Registration splice_target({"splice", write_splices, {Part::model}});

}  // namespace
}  // namespace thence::fuzz
