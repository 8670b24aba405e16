#include "output/sarif_log.h"

#include "output/uri.h"

namespace thence::output {

using base::JsonWriter;

void begin_sarif(JsonWriter& json) {
  json.begin_object();
  json.member<"$schema">("https://json.schemastore.org/sarif-2.1.0.json");
  json.member<"version">("2.1.0");
  json.begin_array<"runs">();
  json.begin_object();
  json.begin_object<"tool">();
  json.begin_object<"driver">();
  json.member<"name">("thence");
  json.member<"version">(THENCE_VERSION);
  json.begin_array<"rules">();
}

void write_sarif_rule(JsonWriter& json, std::string_view id, std::string_view text, std::string_view level) {
  json.new_line();
  json.begin_object();
  json.member<"id">(id);
  json.begin_object<"shortDescription">();
  json.member<"text">(text);
  json.end_object();
  json.begin_object<"defaultConfiguration">();
  json.member<"level">(level);
  json.end_object();
  json.end_object();
}

void begin_results(JsonWriter& json, std::span<const onnx::Model* const> models) {
  json.end_array();   // rules
  json.end_object();  // driver
  json.end_object();  // tool
  json.new_line();
  json.begin_array<"artifacts">();
  for (const onnx::Model* const model : models) {
    json.begin_object();
    json.begin_object<"location">();
    json.member<"uri">(uri_of(model->file()));
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.new_line();
  json.begin_array<"results">();
}

void end_sarif(JsonWriter& json) {
  json.end_array();   // results
  json.end_object();  // run
  json.end_array();   // runs
  json.end_object();
}

void write_sarif_message(JsonWriter& json, std::string_view rule, std::size_t index, std::string_view level,
                         std::string_view message) {
  json.member<"ruleId">(rule);
  json.member<"ruleIndex">(index);
  json.member<"level">(level);
  json.begin_object<"message">();
  json.member<"text">(message);
  json.end_object();
}

void begin_sarif_location(JsonWriter& json, const onnx::Model& model, std::size_t file,
                          const onnx::Node* node) {
  json.begin_object();
  json.begin_object<"physicalLocation">();
  json.begin_object<"artifactLocation">();
  json.member<"uri">(uri_of(model.file()));
  json.member<"index">(file);
  json.end_object();
  if (node != nullptr) {
    json.begin_object<"region">();
    json.member<"byteOffset">(node->bytes().data() - model.bytes().data());
    json.member<"byteLength">(node->bytes().size());
    json.end_object();
  }
  json.end_object();
  json.begin_array<"logicalLocations">();
}

void end_sarif_location(JsonWriter& json) {
  json.end_array();
  json.end_object();
}

}  // namespace thence::output
