// A comparison as JSON, whole.

#include <iterator>

#include "base/format.h"
#include "diff/settings.h"
#include "output/diff_formats.h"
#include "output/json_text.h"

namespace thence::output {
namespace {

using diff::Difference;
using diff::Kind;

class Document {
 public:
  Document(const Comparison& comparison, base::Writer& out)
      : all_(comparison),
        out_(out),
        text_(out.buffer()),
        places_a_(comparison.a.model()),
        places_b_(comparison.b.model()) {}

  void write() {
    const diff::Report& report = all_.report;
    text_ += R"({"schema":"thence.diff/1",)";
    model("a", all_.a.model(), report.nodes_a);
    model("b", all_.b.model(), report.nodes_b);
    base::append_format(text_, R"("same":{},"nothing_in_common":{},"ignored":[)", report.same(),
                        report.nothing_in_common);
    for (std::size_t i = 0; i < report.ignored.size(); ++i)
      base::append_format(text_, R"({}"{}")", i == 0 ? "" : ",", diff::name_of(report.ignored[i]));
    std::size_t known = 0;
    for (const diff::ModuleRow& module : report.modules) known += module.known;
    base::append_format(text_,
                        R"(],"summary":{{"differences":{},"nodes_same":{},"modules":{},"modules_same":{},)"
                        R"("weights_not_compared":{},"by_kind":)",
                        report.differences.size(), report.same_nodes, known, report.modules_same,
                        report.unread_weights);
    counts(report.counts);
    text_ += "},\n\"modules\":[";
    bool first = true;
    for (const diff::ModuleRow& row : report.modules) {
      if (row.differences() == 0) continue;
      out_.add(first ? "\n{\"module\":" : ",\n{\"module\":");
      first = false;
      path(row);
      base::append_format(text_, R"(,"nodes_a":{},"nodes_b":{},"by_kind":)", row.nodes_a, row.nodes_b);
      counts(row.counts);
      text_ += '}';
    }
    text_ += "],\n\"differences\":[";
    for (std::size_t i = 0; i < report.differences.size() && out_.ok(); ++i) {
      out_.add(i == 0 ? "\n" : ",\n");
      difference(report.differences[i]);
    }
    out_.add("]}\n");
    out_.flush();
  }

 private:
  void model(const char* side, const onnx::Model& model, std::size_t nodes) {
    base::append_format(text_, R"("{}":{{"model":)", side);
    append_json_string(text_, model.file());
    base::append_format(text_, R"(,"nodes":{},"opset":{}}},)", nodes, diff::opset_of(model));
  }
  void counts(const diff::Counts& counts) {
    bool first = true;
    text_ += '{';
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      base::append_format(text_, R"({}"{}":{})", first ? "" : ",", diff::name_of(static_cast<Kind>(i)),
                          counts[i]);
      first = false;
    }
    text_ += '}';
  }
  void path(const diff::ModuleRow& row) {
    if (row.known)
      append_json_string(text_, row.path);
    else
      text_ += "null";
  }
  void nodes(const char* side, const onnx::Model& model, Places& places,
             const std::vector<onnx::NodeId>& nodes) {
    base::append_format(text_, R"(,"{}":[)", side);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      text_ += i == 0 ? R"({"place":)" : R"(,{"place":)";
      append_json_string(text_, places.of(nodes[i]));
      text_ += R"(,"name":)";
      append_json_string(text_, model.node(nodes[i]).name());
      text_ += R"(,"op_type":)";
      append_json_string(text_, model.node(nodes[i]).op_type());
      text_ += '}';
    }
    text_ += ']';
  }
  void difference(const Difference& each) {
    base::append_format(text_, R"({{"kind":"{}","module":)", diff::name_of(each.kind));
    path(all_.report.modules[each.module]);
    if (each.kind == Kind::moved) {
      text_ += R"(,"moved_to":)";
      append_json_string(text_, each.moved_to);
    }
    if (!each.value.empty()) {
      text_ += R"(,"value":)";
      append_json_string(text_, each.value);
    }
    nodes("a", all_.a.model(), places_a_, each.a);
    nodes("b", all_.b.model(), places_b_, each.b);
    text_ += R"(,"detail":)";
    append_json_string(text_, each.detail);
    text_ += '}';
  }

  const Comparison& all_;
  base::Writer& out_;
  std::string& text_;
  Places places_a_, places_b_;
};

}  // namespace

void write_diff_json(const Comparison& comparison, base::Writer& out) { Document(comparison, out).write(); }

}  // namespace thence::output
