#include "edit/model_record.h"

#include "base/json_writer.h"

namespace thence::edit {
namespace {

using base::JsonWriter;

void write_modules(const modules::ModuleTree& tree, JsonWriter& json) {
  json.begin_array<"modules">();
  for (modules::ModuleId id = 0; id < tree.size(); ++id) {
    const modules::Module& module = tree[id];
    if (module.first != modules::no_module) continue;  // another path of a module that is listed
    json.begin_object();
    json.member<"path">(module.path);
    json.member<"class">(module.class_name);
    json.array<"aliases">(module.aliases);
    if (module.calls) json.member<"calls">(*module.calls);
    json.end_object();
  }
  json.end_array();
}

void write_parameters(const std::vector<capture::CapturedParameter>& live, JsonWriter& json) {
  json.begin_array<"parameters">();
  for (const capture::CapturedParameter& parameter : live) {
    json.begin_object();
    json.member<"path">(parameter.path);
    if (parameter.has_dims) json.array<"shape">(parameter.dims);
    json.member<"dtype">(parameter.dtype);
    if (parameter.is_buffer) json.verbatim<"buffer">("true");
    json.array<"aliases">(parameter.aliases);
    json.end_object();
  }
  json.end_array();
}

void write_initializers(const onnx::Model& model, const std::vector<weights::Weight>& weights,
                        JsonWriter& json) {
  json.begin_array<"initializers">();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const onnx::Initializer& initializer = model.initializers()[i];
    if (!weights[i].is_known() || initializer.sparse || initializer.value == onnx::none) continue;
    json.begin_object();
    json.member<"name">(model.value_name(initializer.value));
    json.array<"shape">(model.tensor(initializer).dims);
    json.member<"transform">(weights::name_of(weights[i].transform));
    json.array<"parameters">(weights[i].parameters);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string model_record(const semantics::Map& map, const TracedWeights& traced) {
  if (!map.own_tree().has_registration_order()) return {};
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member<"schema">("thence.capture/1");
  json.begin_object<"sections">();
  json.begin_object<"hierarchy">();
  json.member<"version">(1);
  write_modules(map.own_tree(), json);
  if (traced.live != nullptr) write_parameters(*traced.live, json);
  json.end_object();
  json.end_object();
  write_initializers(map.model(), traced.initializers, json);
  json.end_object();
  return text;
}

}  // namespace thence::edit
