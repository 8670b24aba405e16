// A map as CSV (RFC 4180), for spreadsheets and scripts.

#include <algorithm>
#include <bit>
#include <memory>

#include "output/formats.h"
#include "output/limits.h"
#include "output/ordered_pieces.h"

namespace thence::output {
namespace {

// Writes the rows of nodes. Adjacent columns with the same scope form a run. The text of a run is formatted
// once per graph, module or verdict, and copied.
class CsvRows {
 public:
  CsvRows(const semantics::Map& map, const std::vector<Column>& columns, Formulas formulas)
      : reader_(map), formulas_(formulas) {
    for (const Column& column : columns) {
      if (runs_.empty() || !add_to(runs_.back(), column)) runs_.push_back({column.scope, {&column}, {}});
      if (!is_of_node(runs_.back().scope)) runs_.back().cached.resize(max_cached_texts);
    }
  }

  void append(std::string& out, onnx::NodeId node) {
    for (ColumnRun& run : runs_) {
      if (is_of_node(run.scope))
        append_fields(out, run, node);
      else
        out.append(cached_text(run, node));
    }
    if (runs_.empty()) out.push_back(',');
    out.back() = '\n';  // replaces the last comma
  }

 private:
  static bool is_of_node(ColumnScope scope) {
    return scope == ColumnScope::node || scope == ColumnScope::number;
  }

  struct Key {
    std::uint64_t first = 0, second = 0;
    bool operator==(const Key&) const = default;
  };
  struct CachedText {
    Key key;
    bool written = false;
    std::string text;
  };
  struct ColumnRun {
    ColumnScope scope;
    std::vector<const Column*> columns;
    std::vector<CachedText> cached;  // the last ones
  };

  // A run with `module` and `modules` columns has the scope `modules`.
  static bool add_to(ColumnRun& run, const Column& column) {
    const auto is_of_modules = [](ColumnScope scope) {
      return scope == ColumnScope::module || scope == ColumnScope::modules;
    };
    if (run.scope != column.scope && !(is_of_modules(run.scope) && is_of_modules(column.scope))) return false;
    run.scope = std::max(run.scope, column.scope);
    run.columns.push_back(&column);
    return true;
  }

  // Appends the fields, each followed by a comma.
  void append_fields(std::string& out, const ColumnRun& run, onnx::NodeId node) {
    for (const Column* const column : run.columns) {
      const std::size_t begin = out.size();
      column->append(reader_, node, out);
      if (run.scope != ColumnScope::number) quote_csv_field(out, begin, formulas_);
      out.push_back(',');
    }
  }

  const std::string& cached_text(ColumnRun& run, onnx::NodeId node) {
    const Key key = key_of(run.scope, node);
    CachedText& cached = run.cached[(key.first ^ key.first >> 32 ^ key.second) % max_cached_texts];
    if (!cached.written || cached.key != key) {
      cached.written = true;
      cached.key = key;
      cached.text.clear();
      append_fields(cached.text, run, node);
    }
    return cached.text;
  }

  static constexpr std::uint32_t no_call = 0xffffffff;  // no module has so many calls

  // Equal keys mean equal texts. Operator names are interned and reasons are constants, so equal text has the
  // same address.
  Key key_of(ColumnScope scope, onnx::NodeId id) const {
    const resolve::Attribution& answer = reader_.map.answer(id);
    switch (scope) {
      case ColumnScope::graph: return {reader_.map.model().node(id).graph(), 0};
      case ColumnScope::op: {
        const onnx::Node node = reader_.map.model().node(id);
        return {address(node.op_type()) >> 3, address(node.domain())};
      }
      case ColumnScope::module: return {answer.module, 0};
      case ColumnScope::modules:
        return {answer.module | std::uint64_t{answer.call().value_or(no_call)} << 32,
                answer.weight_owner | std::uint64_t{answer.module_set} << 32};
      default: return verdict_key(id, answer);
    }
  }

  Key verdict_key(onnx::NodeId id, const resolve::Attribution& answer) const {
    const evidence::AncestorAnswers* const ancestor = reader_.map.ancestor();
    const std::uint64_t proof =
        ancestor == nullptr ? 0 : std::uint64_t{evidence::key_of(ancestor->answers[id].strength)};
    const std::uint64_t source = static_cast<std::uint64_t>(answer.source) << 1 | (answer.known() ? 1 : 0);
    return {std::uint64_t{std::bit_cast<std::uint32_t>(answer.confidence)} << 32 | proof << 16 | source,
            address(reader_.map.reason(id))};
  }

  static std::uint64_t address(std::string_view text) {
    return reinterpret_cast<std::uintptr_t>(text.data());
  }

  ColumnReader reader_;
  Formulas formulas_;
  std::vector<ColumnRun> runs_;
};

}  // namespace

void write_map_csv(const semantics::Map& map, const Nodes& nodes, const std::vector<Column>& columns,
                   Formulas formulas, unsigned jobs, base::Writer& out) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out.add(',');
    out.add(columns[i].name);
  }
  out.add("\n");
  constexpr std::size_t rows_per_piece = 1024;
  const std::size_t count = nodes.size();
  write_pieces_in_order((count + rows_per_piece - 1) / rows_per_piece, jobs, out, [&] {
    return
        [&, rows = std::make_shared<CsvRows>(map, columns, formulas)](std::size_t piece, std::string& text) {
          const std::size_t past = std::min(count, (piece + 1) * rows_per_piece);
          for (std::size_t row = piece * rows_per_piece; row < past; ++row) rows->append(text, nodes[row]);
        };
  });
  out.flush();
}

}  // namespace thence::output
