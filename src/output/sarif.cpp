// A map as SARIF 2.1.0, which code hosts and editors show: one result for each node that is unknown or known
// with little confidence; a rule for each reason.

#include <array>
#include <iterator>

#include "base/format.h"
#include "output/json_text.h"
#include "output/node_names.h"
#include "output/other_formats.h"
#include "output/sarif_head.h"
#include "output/uri.h"

namespace thence::output {
namespace {

using resolve::Reason;
using semantics::Map;

// The rules: low confidence, then the reasons for having no module.
constexpr std::size_t low_confidence = 0;
constexpr std::size_t rule_count = static_cast<std::size_t>(Reason::count);

std::string_view rule_id(std::size_t rule) {
  return rule == low_confidence ? "low_confidence" : resolve::name_of(static_cast<Reason>(rule));
}
std::string_view rule_text(std::size_t rule) {
  return rule == low_confidence ? "the evidence for its module is weak"
                                : resolve::text_of(static_cast<Reason>(rule));
}
// What a strategy leaves out on purpose is no fault, and neither is a weak answer.
std::string_view rule_level(std::size_t rule) {
  return rule == low_confidence || static_cast<Reason>(rule) == Reason::filtered ? "note" : "warning";
}

void append_rules(std::string& out) {
  for (std::size_t rule = 0; rule < rule_count; ++rule) {
    out += rule == 0 ? "\n{\"id\":" : ",\n{\"id\":";
    append_json_string(out, rule_id(rule));
    out += R"(,"shortDescription":{"text":)";
    append_json_string(out, rule_text(rule));
    out += R"(},"defaultConfiguration":{"level":)";
    append_json_string(out, rule_level(rule));
    out += "}}";
  }
}

class Results {
 public:
  Results(const Map& map, std::string& text) : map_(map), text_(text), places_(map.model()) {}

  void append(onnx::NodeId id, std::size_t rule) {
    const onnx::Node node = map_.model().node(id);
    const resolve::Attribution& answer = map_.answer(id);
    const std::string place = places_.of(id);
    const std::string_view name = node.name().empty() ? std::string_view(place) : node.name();
    text_ += R"({"ruleId":)";
    append_json_string(text_, rule_id(rule));
    base::append_format(text_, R"(,"ruleIndex":{},"level":"{}","message":{{"text":)", rule, rule_level(rule));
    message_.assign(node.op_type()).append(" ").append(name);
    if (answer.known()) {
      message_.append(" is probably of module ");
      message_.append(answer.module == modules::root ? "(root)" : map_.tree()[answer.module].path);
      base::append_format(message_, ", confidence {:.4g}: ", answer.confidence);
    } else {
      message_.append(" has no known module: ");
    }
    message_.append(rule_text(rule));
    append_json_string(text_, message_);
    text_ += R"(},"locations":[{"physicalLocation":{"artifactLocation":{"uri":)";
    append_uri(text_, map_.model().file());
    base::append_format(text_,
                        R"(,"index":0}},"region":{{"byteOffset":{},"byteLength":{}}}}},"logicalLocations":[)",
                        node.bytes().data() - map_.model().bytes().data(), node.bytes().size());
    if (answer.known()) {
      text_ += R"({"kind":"module","fullyQualifiedName":)";
      append_json_string(text_, map_.tree()[answer.module].path);
      text_ += "},";
    }
    text_ += R"({"kind":"node","name":)";
    append_json_string(text_, name);
    text_ += R"(,"fullyQualifiedName":)";
    append_json_string(text_, place);
    text_ += "}]}]}";
  }

 private:
  const Map& map_;
  std::string& text_;
  Places places_;
  std::string message_;
};

}  // namespace

void write_sarif(const Map& map, base::Writer& out) {
  std::string& text = out.buffer();
  append_sarif_head(text);
  append_rules(text);
  text += "]}},\n\"artifacts\":[{\"location\":{\"uri\":";
  append_uri(text, map.model().file());
  text += "}}],\n\"results\":[";
  Results results(map, text);
  bool first = true;
  for (onnx::NodeId id = 0; id < map.model().node_count() && out.ok(); ++id) {
    const resolve::Attribution& answer = map.answer(id);
    if (answer.known() && semantics::level_of(answer) != "low") continue;
    out.add(first ? "\n" : ",\n");
    first = false;
    results.append(id, answer.known() ? low_confidence : static_cast<std::size_t>(answer.reason));
  }
  out.add("]}]}\n");
  out.flush();
}

}  // namespace thence::output
