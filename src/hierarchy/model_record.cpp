#include "hierarchy/model_record.h"

#include "base/json.h"

namespace thence::hierarchy {
namespace {

void read_initializers(base::JsonValue list, ModelRecord& record) {
  for (const base::JsonValue item : list.items()) {
    RecordedInitializer read;
    for (const base::JsonValue size : item["shape"].items()) read.dims.push_back(size.integer().value_or(-1));
    read.transform = item["transform"].text_or({});
    for (const base::JsonValue parameter : item["parameters"].items())
      read.parameters.emplace_back(parameter.text_or({}));
    record.initializers.emplace(item["name"].text_or({}), std::move(read));
  }
}

}  // namespace

std::optional<ModelRecord> read_model_record(const onnx::Model& model) {
  std::string_view text;
  for (const onnx::MetadataEntry& entry : model.metadata())
    if (entry.key == model_record_key) text = entry.value;
  if (text.empty()) return std::nullopt;
  Diagnostics unused;
  Result<capture::Capture> read = capture::read_capture(text, "tags", unused);
  if (!read) return std::nullopt;
  ModelRecord record{std::move(read->tree), std::move(read->parameters), {}};
  record.tree.allow_more_modules();
  read_initializers(base::JsonDocument(text).root()["initializers"], record);
  return record;
}

}  // namespace thence::hierarchy
