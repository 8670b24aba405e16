#include "output/json_parts.h"

namespace thence::output {

void write_layers(base::JsonWriter& json, const std::vector<modules::LayerStep>& layers, LayerSteps steps) {
  json.key<"layer_id">();
  layers.empty() ? json.null() : json.value(layers.front().index);
  json.begin_array<"layer_path">();
  for (const modules::LayerStep& layer : layers) {
    if (steps == LayerSteps::pairs) {
      json.begin_array();
      json.value(layer.container);
      json.value(layer.index);
      json.end_array();
    } else {
      json.begin_object();
      json.member<"container">(layer.container);
      json.member<"index">(layer.index);
      json.end_object();
    }
  }
  json.end_array();
}

void write_by_source(base::JsonWriter& json, const semantics::Summary& summary) {
  json.begin_object<"by_source">();
  for (std::size_t i = 0; i < evidence::source_count; ++i) {
    if (summary.by_source[i] == 0) continue;
    json.key(evidence::name_of(static_cast<evidence::Source>(i)));
    json.value(summary.by_source[i]);
  }
  json.end_object();
}

}  // namespace thence::output
