// The columns of a map that expressions compare: those of `thence map`, and `under` and `member`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantics/layer_counts.h"
#include "semantics/map.h"

namespace thence::expression {

enum class Type : std::uint8_t { number, word, path, class_name };  // all but the first are texts
inline bool is_text(Type type) { return type != Type::number; }

/// What the value of a column depends on.
enum class Scope : std::uint8_t {
  node,
  module,   // the module of the node
  members,  // any of the modules of the node
};

/// The names that are accepted as the value of a column. Other names are errors, because they are misspelt.
enum class Vocabulary : std::uint8_t {
  any,
  operators,
  domains,
  modules,
  classes,
  roles,
  types,
  components,
  sources,
  levels,
  module_kinds,
  reasons
};

/// A node and one of its modules. Columns of scope `node` depend on the node only, others on the module only.
struct Subject {
  onnx::NodeId node = onnx::none;
  modules::ModuleId module = modules::no_module;
};

/// The value of a column. Unknown if it has neither texts nor a number. It can have several spellings, such
/// as a class with and without its package; it equals each of them.
struct Value {
  std::vector<std::string_view> texts;  // valid until the next value is read
  std::optional<double> number;
  std::optional<double> from_end;  // of a layer: -1 for the last one

  bool is_unknown() const { return texts.empty() && !number; }
  void clear() {
    texts.clear();
    number.reset();
    from_end.reset();
  }
};

/// Reads the values of columns. Not thread-safe, like the map.
class ColumnReader {
 public:
  explicit ColumnReader(const semantics::Map& whole) : map(whole) {}

  const semantics::LayerCounts& layer_counts();
  /// Keeps a text until the next value is read.
  std::string_view keep(std::string text) { return kept_ = std::move(text); }
  const std::string& graph_label(onnx::GraphId graph);

  const semantics::Map& map;

 private:
  std::optional<semantics::LayerCounts> layer_counts_;
  std::string kept_, label_;
  onnx::GraphId labelled_graph_ = onnx::none;
};

struct Column {
  std::string_view name;
  Type type;
  Scope scope;
  Vocabulary vocabulary;
  void (*read)(ColumnReader& reader, Subject subject, Value& value);  // the value is clear
  bool includes_submodules = false;
};

const std::vector<Column>& all_columns();
/// Null if there is no such column.
const Column* find_column(std::string_view name);

}  // namespace thence::expression
