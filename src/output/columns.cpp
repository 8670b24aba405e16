// The columns of a map in CSV and tables, by name.

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "output/formats.h"

namespace thence::output {
namespace {

using modules::no_module;
using semantics::Map;

// The root's path is empty; a cell that says nothing means unknown, which the root is not.
std::string path_of(const Map& map, modules::ModuleId module) {
  if (module == no_module) return {};
  return std::string(module == modules::root ? "(root)" : map.tree()[module].path);
}
std::string module_text(const Map& map, onnx::NodeId node) { return path_of(map, map.answer(node).module); }

template <class Get>
std::string fact(const Map& map, onnx::NodeId node, Get get) {
  return map.answer(node).known() ? get(map.facts(map.answer(node).module)) : std::string();
}

std::string modules_text(const Map& map, onnx::NodeId node) {
  std::string text;
  for (const modules::ModuleId module : map.modules_of(node))
    text += (text.empty() ? "" : " ") + path_of(map, module);
  return text;
}

std::string role_text(const Map& map, onnx::NodeId node) {
  return fact(map, node, [](const semantics::ModuleFacts& facts) {
    std::string text(facts.role.type);
    if (!facts.role.component.empty()) text += (text.empty() ? "" : " ") + std::string(facts.role.component);
    return text;
  });
}

std::string_view proof_name(const Map& map, onnx::NodeId node) {
  const bool told = map.lent() != nullptr && map.answer(node).known();
  return told ? evidence::name_of(map.lent()->answers[node].strength) : std::string_view();
}

}  // namespace

const std::vector<Column>& all_columns() {
  static const std::vector<Column> columns = {
      {"graph", "the graph: empty for the main one",
       [](const Map& m, onnx::NodeId n) { return m.model().graph_label(m.model().node(n).graph()); }},
      {"index", "place in its graph",
       [](const Map& m, onnx::NodeId n) { return std::to_string(m.model().node(n).index()); }},
      {"name", "the node's name",
       [](const Map& m, onnx::NodeId n) { return std::string(m.model().node(n).name()); }},
      {"op_type", "what it computes",
       [](const Map& m, onnx::NodeId n) { return std::string(m.model().node(n).op_type()); }},
      {"domain", "the operator's domain",
       [](const Map& m, onnx::NodeId n) { return std::string(m.model().node(n).domain()); }},
      {"module", "the module that ran it", module_text},
      {"module_class", "that module's class",
       [](const Map& m, onnx::NodeId n) {
         return std::string(m.answer(n).known() ? m.tree()[m.answer(n).module].class_name
                                                : std::string_view());
       }},
      {"call", "which call of the module",
       [](const Map& m, onnx::NodeId n) {
         return m.answer(n).known() ? std::to_string(m.answer(n).call) : std::string();
       }},
      {"modules", "every module it serves", modules_text},
      {"weight_owner", "whose largest parameter it reads",
       [](const Map& m, onnx::NodeId n) { return path_of(m, m.answer(n).weight_owner); }},
      {"hf_module", "nearest module not from torch.nn",
       [](const Map& m, onnx::NodeId n) {
         return fact(m, n, [&](const semantics::ModuleFacts& f) { return path_of(m, f.hf_module); });
       }},
      {"tag", "class path of hf_module",
       [](const Map& m, onnx::NodeId n) {
         if (!m.answer(n).known()) return m.tag_of_unknown();
         return fact(m, n, [](const semantics::ModuleFacts& f) { return f.tag; });
       }},
      {"role", "semantic type and component", role_text},
      {"semantic_type", "kind of part",
       [](const Map& m, onnx::NodeId n) {
         return fact(m, n, [](const semantics::ModuleFacts& f) { return std::string(f.role.type); });
       }},
      {"component", "its place in that part",
       [](const Map& m, onnx::NodeId n) {
         return fact(m, n, [](const semantics::ModuleFacts& f) { return std::string(f.role.component); });
       }},
      {"layer_id", "index of the outermost repeated block",
       [](const Map& m, onnx::NodeId n) {
         return fact(m, n, [](const semantics::ModuleFacts& f) {
           return f.layers.empty() ? std::string() : std::to_string(f.layers.front().index);
         });
       }},
      {"source", "the evidence that won",
       [](const Map& m, onnx::NodeId n) {
         return m.answer(n).known() ? std::string(evidence::name_of(m.answer(n).source)) : std::string();
       }},
      {"proof", "how a transferred node is proven",
       [](const Map& m, onnx::NodeId n) { return std::string(proof_name(m, n)); }},
      {"confidence", "how sure, from 0 to 1",
       [](const Map& m, onnx::NodeId n) { return base::format("{:.4g}", m.answer(n).confidence); }},
      {"level", "high, medium, low or none",
       [](const Map& m, onnx::NodeId n) { return std::string(semantics::level_of(m.answer(n))); }},
      {"reason", "why something is missing",
       [](const Map& m, onnx::NodeId n) { return std::string(m.reason(n)); }},
  };
  return columns;
}

Result<std::vector<Column>> find_columns(const std::vector<std::string>& names) {
  std::vector<Column> found;
  for (const std::string& name : names) {
    const auto& all = all_columns();
    const auto column = std::find_if(all.begin(), all.end(), [&](const Column& c) { return c.name == name; });
    if (column == all.end()) {
      std::vector<std::string_view> known;
      for (const Column& c : all) known.push_back(c.name);
      return Error{ErrorKind::usage, "U005", base::format("no column is called '{}'", base::printable(name)),
                   base::format("columns: {}", base::joined(known, ", "))};
    }
    found.push_back(*column);
  }
  return found;
}

}  // namespace thence::output
