// A comparison as SARIF 2.1.0: one result per difference, at the node in B or, if B has none, in A.

#include <array>

#include "base/format.h"
#include "output/diff_formats.h"
#include "output/sarif_log.h"

namespace thence::output {
namespace {

using base::JsonWriter;
using diff::Difference;
using diff::DiffKind;

// A difference is a note, not a fault.
constexpr std::string_view difference_level = "note";

class Differences {
 public:
  Differences(const Comparison& comparison, JsonWriter& json)
      : all_(comparison),
        json_(json),
        locations_a_(comparison.a.model()),
        locations_b_(comparison.b.model()) {}

  void write(const Difference& each) {
    json_.new_line();
    json_.begin_object();
    write_sarif_message(json_, diff::name_of(each.kind), static_cast<std::size_t>(each.kind),
                        difference_level, message(each));
    json_.begin_array<"locations">();
    if (!each.b.empty())
      write_node(all_.b.model(), 1, each.b.front(), locations_b_);
    else if (!each.a.empty())
      write_node(all_.a.model(), 0, each.a.front(), locations_a_);
    else
      write_value(all_.b.model(), each.value);
    json_.end_array();
    json_.end_object();
  }

 private:
  std::string message(const Difference& each) const {
    const diff::ModuleRow& module = all_.report.modules[each.module];
    return base::format("{} in {}: {}", diff::name_of(each.kind),
                        !module.known         ? "an unknown module"
                        : module.path.empty() ? "the root"
                                              : module.path,
                        each.detail);
  }

  void write_node(const onnx::Model& model, std::size_t file, onnx::NodeId id, NodeLocations& locations) {
    const onnx::Node node = model.node(id);
    begin_sarif_location(json_, model, file, &node);
    json_.begin_object();
    json_.member<"kind">("node");
    json_.member<"name">(node.name());
    json_.member<"fullyQualifiedName">(locations.of(id));
    json_.end_object();
    end_sarif_location(json_);
  }

  // An input or output is located at its whole model.
  void write_value(const onnx::Model& model, std::string_view name) {
    begin_sarif_location(json_, model, 1, nullptr);
    json_.begin_object();
    json_.member<"kind">("value");
    json_.member<"name">(name);
    json_.end_object();
    end_sarif_location(json_);
  }

  const Comparison& all_;
  JsonWriter& json_;
  NodeLocations locations_a_, locations_b_;
};

}  // namespace

void write_diff_sarif(const Comparison& comparison, base::Writer& out) {
  JsonWriter json(out.buffer());
  begin_sarif(json);
  for (std::size_t i = 0; i < diff::diff_kind_count; ++i)
    write_sarif_rule(json, diff::name_of(static_cast<DiffKind>(i)), diff::text_of(static_cast<DiffKind>(i)),
                     difference_level);
  begin_results(json, std::array{&comparison.a.model(), &comparison.b.model()});
  Differences differences(comparison, json);
  for (const Difference& each : comparison.report.differences) {
    if (!out.ok()) return;
    differences.write(each);
    out.flush_if_full();
  }
  end_sarif(json);
  out.add("\n");
  out.flush();
}

}  // namespace thence::output
