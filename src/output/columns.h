// The columns of a map in CSV, tables, GraphML and Model Explorer, by name.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "semantics/map.h"

namespace thence::output {

/// What columns read: a map, and facts about modules. Each thread has one of its own.
class ColumnReader {
 public:
  explicit ColumnReader(const semantics::Map& whole) : map(whole) {}

  /// Facts about a node's module, which must be known. Good until the next call.
  const semantics::ModuleFacts& facts(onnx::NodeId node);

  const semantics::Map& map;

 private:
  struct Kept {
    modules::ModuleId module = modules::no_module;
    semantics::ModuleFacts facts;
  };
  semantics::RoleReader roles_;
  std::array<Kept, 64> kept_;  // of the modules met last; nodes of one module lie near each other
};

/// What the text of a column depends on. All nodes that share it have the same text.
enum class ColumnScope {
  node,
  number,  // also the node, and the text is digits
  graph,
  op,  // operator and domain
  module,
  modules,  // its module and call, the weights' owner, and the others that it serves
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

/// Columns by their names; an error names those that exist.
Result<std::vector<Column>> find_columns(const std::vector<std::string>& names);

}  // namespace thence::output
