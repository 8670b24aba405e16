// The columns of a map in CSV, tables, GraphML and Model Explorer, by name.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "semantics/map.h"

namespace thence::output {

/// The input of columns: a map, and facts about modules. Each thread needs its own reader.
class ColumnReader {
 public:
  explicit ColumnReader(const semantics::Map& whole) : map(whole) {}

  /// Facts about the module of a node with a known module. Valid until the next call.
  const semantics::ModuleFacts& facts(onnx::NodeId node);

  const semantics::Map& map;

 private:
  struct CachedFacts {
    modules::ModuleId module = modules::no_module;
    semantics::ModuleFacts facts;
  };
  semantics::RoleReader roles_;
  std::array<CachedFacts, 64> cache_;  // of the last modules, because nodes of one module are near each other
};

/// What the text of a column depends on. Nodes that agree in it have the same text.
enum class ColumnScope {
  node,
  number,  // like `node`, and the text is digits
  graph,
  op,  // operator and domain
  module,
  modules,  // the module and call, the weight owner, and the other modules that the node belongs to
  verdict,  // source, confidence, reason and proof
};

struct Column {
  std::string_view name;
  std::string_view meaning;
  ColumnScope scope;
  void (*append)(ColumnReader& reader, onnx::NodeId node, std::string& out);

  std::string text(ColumnReader& reader, onnx::NodeId node) const {
    std::string out;
    append(reader, node, out);
    return out;
  }
};
const std::vector<Column>& all_columns();

/// Finds columns by name. The error lists the existing columns.
Result<std::vector<Column>> find_columns(const std::vector<std::string>& names);

}  // namespace thence::output
