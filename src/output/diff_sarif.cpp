// A comparison as SARIF 2.1.0: one result for each difference, at the node in B or, where B has none, in A.

#include <iterator>

#include "base/format.h"
#include "output/diff_formats.h"
#include "output/json_text.h"
#include "output/sarif_head.h"
#include "output/uri.h"

namespace thence::output {
namespace {

using diff::Difference;
using diff::Kind;

void append_rules(std::string& out) {
  for (std::size_t i = 0; i < diff::kind_count; ++i) {
    const auto kind = static_cast<Kind>(i);
    base::append_format(out, "{}{{\"id\":\"{}\",\"shortDescription\":{{\"text\":\"{}\"}},",
                        i == 0 ? "\n" : ",\n", diff::name_of(kind), diff::text_of(kind));
    out += R"("defaultConfiguration":{"level":"note"}})";
  }
}

void append_location(std::string& out, const semantics::Map& map, std::size_t artifact, onnx::NodeId id,
                     Places& places) {
  const onnx::Node node = map.model().node(id);
  out += R"({"physicalLocation":{"artifactLocation":{"uri":)";
  append_uri(out, map.model().file());
  base::append_format(out,
                      R"(,"index":{}}},"region":{{"byteOffset":{},"byteLength":{}}}}},"logicalLocations":[)",
                      artifact, node.bytes().data() - map.model().bytes().data(), node.bytes().size());
  out += R"({"kind":"node","name":)";
  append_json_string(out, node.name());
  out += R"(,"fullyQualifiedName":)";
  append_json_string(out, places.of(id));
  out += "}]}";
}

// An input or output: its model as a whole.
void append_end(std::string& out, const onnx::Model& model, std::string_view name) {
  out += R"({"physicalLocation":{"artifactLocation":{"uri":)";
  append_uri(out, model.file());
  out += R"(,"index":1}},"logicalLocations":[{"kind":"value","name":)";
  append_json_string(out, name);
  out += "}]}";
}

void append_artifact(std::string& out, const onnx::Model& model) {
  out += R"({"location":{"uri":)";
  append_uri(out, model.file());
  out += "}}";
}

}  // namespace

void write_diff_sarif(const Comparison& comparison, base::Writer& out) {
  std::string& text = out.buffer();
  append_sarif_head(text);
  append_rules(text);
  text += "]}},\n\"artifacts\":[";
  append_artifact(text, comparison.a.model());
  text += ',';
  append_artifact(text, comparison.b.model());
  text += "],\n\"results\":[";
  Places places_a(comparison.a.model()), places_b(comparison.b.model());
  bool first = true;
  for (const Difference& each : comparison.report.differences) {
    if (!out.ok()) return;
    out.add(first ? "\n" : ",\n");
    first = false;
    const diff::ModuleRow& module = comparison.report.modules[each.module];
    base::append_format(text, R"({{"ruleId":"{}","ruleIndex":{},"level":"note","message":{{"text":)",
                        diff::name_of(each.kind), static_cast<std::size_t>(each.kind));
    append_json_string(text, base::format("{} in {}: {}", diff::name_of(each.kind),
                                          !module.known         ? "an unknown module"
                                          : module.path.empty() ? "the root"
                                                                : module.path,
                                          each.detail));
    text += R"(},"locations":[)";
    if (!each.b.empty())
      append_location(text, comparison.b, 1, each.b.front(), places_b);
    else if (!each.a.empty())
      append_location(text, comparison.a, 0, each.a.front(), places_a);
    else
      append_end(text, comparison.b.model(), each.value);
    text += "]}";
  }
  out.add("]}]}\n");
  out.flush();
}

}  // namespace thence::output
