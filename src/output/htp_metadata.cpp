// A map in the layout of the sidecar files (`_htp_metadata.json`) of earlier tools: nested modules, and nodes
// by name with their tags. docs/compatibility.md describes it.

#include <algorithm>

#include "base/json_writer.h"
#include "output/node_names.h"
#include "output/other_formats.h"
#include "semantics/module_totals.h"

namespace thence::output {
namespace {

using modules::ModuleId;
using semantics::Map;

class Sidecar {
 public:
  Sidecar(const Map& map, base::Writer& out)
      : map_(map), out_(out), holdings_(semantics::module_totals(map)) {
    number_modules();
  }

  void write() {
    const semantics::Summary summary = map_.summary();
    json_.begin_object();
    json_.begin_object<"export_context">();
    json_.member<"strategy">(map_.strategy().name);
    json_.member<"version">("1.0");
    json_.member<"exporter">("thence " THENCE_VERSION);
    json_.member<"embed_hierarchy_attributes">(false);
    json_.end_object();
    json_.new_line();
    json_.begin_object<"model">();
    json_.member<"name_or_path">(map_.model().file());
    json_.member<"class">(modules::short_class(map_.tree()[modules::root].class_name));
    json_.member<"framework">("pytorch");
    json_.member<"total_modules">(summary.modules);
    json_.member<"total_parameters">(holdings_[modules::root].parameters);
    json_.end_object();
    json_.new_line();
    json_.key<"modules">();
    write_module(modules::root);
    json_.new_line();
    const std::size_t tagged = write_nodes();
    json_.new_line();
    write_report(summary, tagged);
    json_.end_object();
    out_.add("\n");
    out_.flush();
  }

 private:
  // Numbers modules in the order of their first run; outer modules come before inner ones.
  void number_modules() {
    std::vector<ModuleId> ran;
    for (ModuleId id = 0; id < holdings_.size(); ++id)
      if (holdings_[id].nodes > 0) ran.push_back(id);
    std::stable_sort(ran.begin(), ran.end(), [&](ModuleId a, ModuleId b) {  // stable: parents come first
      return holdings_[a].first_node < holdings_[b].first_node;
    });
    order_.resize(holdings_.size(), modules::no_module);
    for (std::size_t i = 0; i < ran.size(); ++i) order_[ran[i]] = static_cast<std::uint32_t>(i);
  }

  // Recursion depth is at most ModuleTree::max_depth. `class_name` is the short name, as in files of other
  // tools; `class` is an addition of thence.
  void write_module(ModuleId id) {
    const modules::Module& module = map_.tree()[id];
    json_.begin_object();
    json_.member<"class_name">(modules::short_class(module.class_name));
    if (!module.class_name.empty()) json_.member<"class">(module.class_name);
    json_.member<"traced_tag">(map_.facts(id).tag);
    json_.member<"scope">(module.path);
    if (order_[id] != modules::no_module) json_.member<"execution_order">(order_[id]);
    if (!module.children.empty()) {
      json_.begin_object<"children">();
      for (const ModuleId child : module.children) {
        json_.new_line();
        json_.key(map_.tree()[child].name());
        write_module(child);
      }
      json_.end_object();
    }
    json_.end_object();
    out_.flush_if_full();
  }

  // Returns the number of nodes with a tag.
  std::size_t write_nodes() {
    NodeNames names(map_.model());
    std::size_t tagged = 0;
    json_.begin_object<"nodes">();
    for (onnx::NodeId id = 0; id < map_.model().node_count() && out_.ok(); ++id) {
      if (!map_.answer(id).known()) continue;
      const std::string& tag = map_.facts(map_.answer(id).module).tag;
      if (tag.empty()) continue;
      ++tagged;
      json_.new_line();
      json_.key(names.of(id));
      json_.value(tag);
      out_.flush_if_full();
    }
    json_.end_object();
    return tagged;
  }

  void write_report(const semantics::Summary& summary, std::size_t tagged) {
    const double percentage =
        summary.nodes == 0 ? 0 : 100.0 * static_cast<double>(tagged) / static_cast<double>(summary.nodes);
    json_.begin_object<"report">();
    json_.begin_object<"node_tagging">();
    json_.begin_object<"statistics">();
    json_.member<"direct_matches">(summary.direct);
    json_.member<"inferred">(summary.inferred);
    json_.member<"root_fallbacks">(0);
    json_.member<"tagged_nodes">(tagged);
    json_.end_object();
    json_.begin_object<"coverage">();
    json_.real<"percentage">(percentage, 4);
    json_.member<"total_onnx_nodes">(summary.nodes);
    json_.member<"tagged_nodes">(tagged);
    json_.end_object();
    json_.end_object();
    json_.end_object();
  }

  const Map& map_;
  base::Writer& out_;
  base::JsonWriter json_{out_.buffer()};
  std::vector<semantics::ModuleTotals> holdings_;
  std::vector<std::uint32_t> order_;  // by module; no_module if it did not run
};

}  // namespace

void write_htp_metadata(const Map& map, base::Writer& out) { Sidecar(map, out).write(); }

}  // namespace thence::output
