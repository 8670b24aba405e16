// A map as SARIF 2.1.0, which code hosts and editors show: one result per node that is unknown or has low
// confidence, and one rule per reason.

#include <array>

#include "base/format.h"
#include "output/node_names.h"
#include "output/other_formats.h"
#include "output/sarif_log.h"

namespace thence::output {
namespace {

using base::JsonWriter;
using resolve::Reason;
using semantics::Map;

// The rules: low confidence, then the reasons for unknown nodes.
constexpr std::size_t low_confidence = 0;
constexpr std::size_t rule_count = static_cast<std::size_t>(Reason::count);

std::string_view rule_id(std::size_t rule) {
  return rule == low_confidence ? "low_confidence" : resolve::name_of(static_cast<Reason>(rule));
}
std::string_view rule_text(std::size_t rule) {
  return rule == low_confidence ? "the evidence for its module is weak"
                                : resolve::text_of(static_cast<Reason>(rule));
}
// Neither a node filtered by the strategy nor a weak answer is a fault.
std::string_view rule_level(std::size_t rule) {
  return rule == low_confidence || static_cast<Reason>(rule) == Reason::filtered ? "note" : "warning";
}

class Results {
 public:
  Results(const Map& map, JsonWriter& json) : map_(map), json_(json), locations_(map.model()) {}

  void write(onnx::NodeId id, std::size_t rule) {
    const onnx::Node node = map_.model().node(id);
    const resolve::Attribution& answer = map_.answer(id);
    const std::string location = locations_.of(id);
    const std::string_view name = node.name().empty() ? std::string_view(location) : node.name();
    json_.new_line();
    json_.begin_object();
    write_sarif_message(json_, rule_id(rule), rule, rule_level(rule), message(node, name, answer, rule));
    json_.begin_array<"locations">();
    begin_sarif_location(json_, map_.model(), 0, &node);
    if (answer.known()) {
      json_.begin_object();
      json_.member<"kind">("module");
      json_.member<"fullyQualifiedName">(map_.tree()[answer.module].path);
      json_.end_object();
    }
    json_.begin_object();
    json_.member<"kind">("node");
    json_.member<"name">(name);
    json_.member<"fullyQualifiedName">(location);
    json_.end_object();
    end_sarif_location(json_);
    json_.end_array();
    json_.end_object();
  }

 private:
  const std::string& message(const onnx::Node& node, std::string_view name,
                             const resolve::Attribution& answer, std::size_t rule) {
    message_.assign(node.op_type()).append(" ").append(name);
    if (answer.known()) {
      message_.append(" is probably of module ");
      message_.append(answer.module == modules::root ? "(root)" : map_.tree()[answer.module].path);
      base::append_format(message_, ", confidence {:.4g}: ", answer.confidence);
    } else {
      message_.append(" has no known module: ");
    }
    return message_.append(rule_text(rule));
  }

  const Map& map_;
  JsonWriter& json_;
  NodeLocations locations_;
  std::string message_;
};

}  // namespace

void write_sarif(const Map& map, base::Writer& out) {
  JsonWriter json(out.buffer());
  begin_sarif(json);
  for (std::size_t rule = 0; rule < rule_count; ++rule)
    write_sarif_rule(json, rule_id(rule), rule_text(rule), rule_level(rule));
  begin_results(json, std::array{&map.model()});
  Results results(map, json);
  for (onnx::NodeId id = 0; id < map.model().node_count() && out.ok(); ++id) {
    const resolve::Attribution& answer = map.answer(id);
    if (answer.known() && semantics::level_of(answer) != "low") continue;
    results.write(id, answer.known() ? low_confidence : static_cast<std::size_t>(answer.reason));
    out.flush_if_full();
  }
  end_sarif(json);
  out.add("\n");
  out.flush();
}

}  // namespace thence::output
