// A complete comparison as JSON.

#include "base/json_writer.h"
#include "diff/settings.h"
#include "output/diff_formats.h"

namespace thence::output {
namespace {

using diff::Difference;
using diff::DiffKind;

class Document {
 public:
  Document(const Comparison& comparison, base::Writer& out)
      : all_(comparison), out_(out), locations_a_(comparison.a.model()), locations_b_(comparison.b.model()) {}

  void write() {
    const diff::Report& report = all_.report;
    json_.begin_object();
    json_.member<"schema">("thence.diff/1");
    json_.key<"a">();
    model(all_.a.model(), report.nodes_a);
    json_.key<"b">();
    model(all_.b.model(), report.nodes_b);
    json_.member<"same">(report.same());
    json_.member<"nothing_in_common">(report.nothing_in_common);
    json_.begin_array<"ignored">();
    for (const DiffKind kind : report.ignored) json_.value(diff::name_of(kind));
    json_.end_array();
    summary(report);
    json_.new_line();
    json_.begin_array<"modules">();
    for (const diff::ModuleRow& row : report.modules)
      if (row.differences() > 0) module(row);
    json_.end_array();
    json_.new_line();
    json_.begin_array<"differences">();
    for (std::size_t i = 0; i < report.differences.size() && out_.ok(); ++i)
      difference(report.differences[i]);
    json_.end_array();
    json_.end_object();
    out_.add("\n");
    out_.flush();
  }

 private:
  void model(const onnx::Model& model, std::size_t nodes) {
    json_.begin_object();
    json_.member<"model">(model.file());
    json_.member<"nodes">(nodes);
    json_.member<"opset">(diff::opset_of(model));
    json_.end_object();
  }
  void summary(const diff::Report& report) {
    std::size_t known = 0;
    for (const diff::ModuleRow& module : report.modules) known += module.known;
    json_.begin_object<"summary">();
    json_.member<"differences">(report.differences.size());
    json_.member<"nodes_same">(report.same_nodes);
    json_.member<"modules">(known);
    json_.member<"modules_same">(report.same_modules);
    json_.member<"weights_not_compared">(report.unread_weights);
    by_kind(report.counts);
    json_.end_object();
  }
  void module(const diff::ModuleRow& row) {
    json_.new_line();
    json_.begin_object();
    path(row);
    json_.member<"nodes_a">(row.nodes_a);
    json_.member<"nodes_b">(row.nodes_b);
    by_kind(row.counts);
    json_.end_object();
    out_.flush_if_full();
  }
  void by_kind(const diff::Counts& counts) {
    json_.begin_object<"by_kind">();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      json_.key(diff::name_of(static_cast<DiffKind>(i)));
      json_.value(counts[i]);
    }
    json_.end_object();
  }
  void path(const diff::ModuleRow& row) {
    json_.key<"module">();
    row.known ? json_.value(row.path) : json_.null();
  }
  void nodes(const onnx::Model& model, NodeLocations& locations, const std::vector<onnx::NodeId>& nodes) {
    json_.begin_array();
    for (const onnx::NodeId id : nodes) {
      json_.begin_object();
      json_.member<"place">(locations.of(id));
      json_.member<"name">(model.node(id).name());
      json_.member<"op_type">(model.node(id).op_type());
      json_.end_object();
    }
    json_.end_array();
  }
  void difference(const Difference& each) {
    json_.new_line();
    json_.begin_object();
    json_.member<"kind">(diff::name_of(each.kind));
    path(all_.report.modules[each.module]);
    if (each.kind == DiffKind::moved) json_.member<"moved_to">(each.moved_to);
    if (!each.value.empty()) json_.member<"value">(each.value);
    json_.key<"a">();
    nodes(all_.a.model(), locations_a_, each.a);
    json_.key<"b">();
    nodes(all_.b.model(), locations_b_, each.b);
    json_.member<"detail">(each.detail);
    json_.end_object();
    out_.flush_if_full();
  }

  const Comparison& all_;
  base::Writer& out_;
  base::JsonWriter json_{out_.buffer()};
  NodeLocations locations_a_, locations_b_;
};

}  // namespace

void write_diff_json(const Comparison& comparison, base::Writer& out) { Document(comparison, out).write(); }

}  // namespace thence::output
