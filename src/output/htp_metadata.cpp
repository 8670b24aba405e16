// A map in the layout of the sidecar files (`_htp_metadata.json`) that earlier tools of this kind write:
// modules nested, nodes by name with their tags. docs/compatibility.md describes it.

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "output/json_text.h"
#include "output/node_names.h"
#include "output/other_formats.h"
#include "semantics/holdings.h"

namespace thence::output {
namespace {

using modules::ModuleId;
using semantics::Map;

class Sidecar {
 public:
  Sidecar(const Map& map, base::Writer& out) : map_(map), out_(out), held_(semantics::holdings(map)) {
    number_modules();
  }

  void write() {
    const semantics::Summary summary = map_.summary();
    text_ += R"({"export_context":{"strategy":)";
    append_json_string(text_, map_.strategy().name);
    text_ += R"(,"version":"1.0","exporter":"thence )" THENCE_VERSION
             "\",\"embed_hierarchy_attributes\":false},\n\"model\":{\"name_or_path\":";
    append_json_string(text_, map_.model().file());
    text_ += R"(,"class":)";
    append_json_string(text_, modules::short_class(map_.tree()[modules::root].class_name));
    base::append_format(text_, R"(,"framework":"pytorch","total_modules":{},"total_parameters":{}}},)",
                        summary.modules, held_[modules::root].parameters);
    text_ += "\n\"modules\":";
    write_module(modules::root);
    text_ += ",\n\"nodes\":{";
    const std::size_t tagged = write_nodes();
    const double percentage =
        summary.nodes == 0 ? 0 : 100.0 * static_cast<double>(tagged) / static_cast<double>(summary.nodes);
    out_.add(base::format(
        "}},\n\"report\":{{\"node_tagging\":{{\"statistics\":{{\"direct_matches\":{},\"inferred\":{},"
        "\"root_fallbacks\":0,\"tagged_nodes\":{}}},\"coverage\":{{\"percentage\":{:.4g},"
        "\"total_onnx_nodes\":{},\"tagged_nodes\":{}}}}}}}}}\n",
        summary.direct, summary.inferred, tagged, percentage, summary.nodes, tagged));
    out_.flush();
  }

 private:
  // In the order in which modules first ran; those around come before those inside.
  void number_modules() {
    std::vector<ModuleId> ran;
    for (ModuleId id = 0; id < held_.size(); ++id)
      if (held_[id].nodes > 0) ran.push_back(id);
    std::stable_sort(ran.begin(), ran.end(), [&](ModuleId a, ModuleId b) {  // parents are numbered first
      return held_[a].first_node < held_[b].first_node;
    });
    order_.resize(held_.size(), modules::no_module);
    for (std::size_t i = 0; i < ran.size(); ++i) order_[ran[i]] = static_cast<std::uint32_t>(i);
  }

  // As deep as ModuleTree::max_depth. `class_name` is the bare one, as in other tools' files; `class` is
  // ours.
  void write_module(ModuleId id) {
    const modules::Module& module = map_.tree()[id];
    text_ += R"({"class_name":)";
    append_json_string(text_, modules::short_class(module.class_name));
    if (!module.class_name.empty()) {
      text_ += R"(,"class":)";
      append_json_string(text_, module.class_name);
    }
    text_ += R"(,"traced_tag":)";
    append_json_string(text_, map_.facts(id).tag);
    text_ += R"(,"scope":)";
    append_json_string(text_, module.path);
    if (order_[id] != modules::no_module) {
      text_ += R"(,"execution_order":)";
      append_number(text_, order_[id]);
    }
    if (!module.children.empty()) {
      text_ += R"(,"children":{)";
      for (std::size_t i = 0; i < module.children.size(); ++i) {
        out_.add(i == 0 ? "\n" : ",\n");
        append_json_string(text_, map_.tree()[module.children[i]].name());
        text_ += ':';
        write_module(module.children[i]);
      }
      text_ += '}';
    }
    text_ += '}';
  }

  // Gives how many have a tag.
  std::size_t write_nodes() {
    NodeNames names(map_.model());
    std::size_t tagged = 0;
    for (onnx::NodeId id = 0; id < map_.model().node_count() && out_.ok(); ++id) {
      if (!map_.answer(id).known()) continue;
      const std::string& tag = map_.facts(map_.answer(id).module).tag;
      if (tag.empty()) continue;
      out_.add(tagged++ == 0 ? "\n" : ",\n");
      append_json_string(text_, names.of(id));
      text_ += ':';
      append_json_string(text_, tag);
    }
    return tagged;
  }

  const Map& map_;
  base::Writer& out_;
  std::string& text_ = out_.buffer();
  std::vector<semantics::Holding> held_;
  std::vector<std::uint32_t> order_;  // by module; no_module: it did not run
};

}  // namespace

void write_htp_metadata(const Map& map, base::Writer& out) { Sidecar(map, out).write(); }

}  // namespace thence::output
