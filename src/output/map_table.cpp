// A map as a table for users.

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "output/fitted_table.h"
#include "output/formats.h"
#include "output/limits.h"
#include "output/styles.h"

namespace thence::output {
namespace {

// A nameless node is shown by its location, as on the command line.
std::string cell(ColumnReader& reader, const Column& column, onnx::NodeId id) {
  const semantics::Map& map = reader.map;
  std::string text = base::printable(column.text(reader, id));
  if (column.name == "name" && text.empty())
    text = base::format("{}#{}", base::printable(map.model().graph_label(map.model().node(id).graph())),
                        map.model().node(id).index());
  if (column.name == "module" && text.empty()) text = base::format("? {}", map.reason(id));
  return text;
}

void append_padded(std::string& out, std::string_view text, std::size_t width, bool last) {
  out += text;
  if (last) return;
  const std::size_t used = base::display_width(text);
  out.append(used < width ? width - used + 2 : 2, ' ');
}

// Columns whose text is still recognisable when shortened in the middle.
bool contains_paths(const Column& column) {
  static constexpr std::string_view paths[] = {"name",         "module",    "module_class", "modules",
                                               "weight_owner", "hf_module", "tag",          "reason"};
  return std::find(std::begin(paths), std::end(paths), column.name) != std::end(paths);
}

std::vector<std::size_t> map_column_widths(ColumnReader& reader, const Nodes& nodes,
                                           const std::vector<Column>& columns, std::size_t width) {
  std::vector<std::size_t> widths;
  for (const Column& column : columns) widths.push_back(column.name.size());
  const std::size_t most = width == 0 ? max_column_width : width;
  for (std::size_t row = 0; row < nodes.size(); ++row)
    for (std::size_t i = 0; i < columns.size(); ++i)
      widths[i] =
          std::min(most, std::max(widths[i], base::display_width(cell(reader, columns[i], nodes[row]))));
  if (width == 0) return widths;
  // Other paths are shortened first, then short words, and the module last.
  std::vector<std::size_t> least;
  for (std::size_t i = 0; i < columns.size(); ++i)
    least.push_back(columns[i].name == "module"  ? min_module_width
                    : contains_paths(columns[i]) ? min_path_width
                                                 : widths[i]);
  fit_widths(widths, least, width);
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!contains_paths(columns[i])) least[i] = std::max(min_word_width, columns[i].name.size());
  fit_widths(widths, least, width);
  for (std::size_t i = 0; i < columns.size(); ++i) least[i] = std::max(min_any_width, columns[i].name.size());
  fit_widths(widths, least, width);
  return widths;
}

}  // namespace

void write_map_table(const semantics::Map& map, const Nodes& nodes, const std::vector<Column>& columns,
                     const TableStyle& style, base::Writer& out) {
  ColumnReader reader(map);
  const std::vector<std::size_t> widths = map_column_widths(reader, nodes, columns, style.width);
  if (style.colour) out.add(bold);
  for (std::size_t i = 0; i < columns.size(); ++i)
    append_padded(out.buffer(), columns[i].name, widths[i], i + 1 == columns.size());
  if (style.colour) out.add(plain);
  out.add("\n");
  for (std::size_t row = 0; row < nodes.size() && out.ok(); ++row) {
    const onnx::NodeId id = nodes[row];
    const bool is_dim = style.colour && !map.answer(id).known();
    if (is_dim) out.add(dim);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::string text = cell(reader, columns[i], id);
      if (style.width > 0) text = truncate_middle(text, widths[i]);
      append_padded(out.buffer(), text, widths[i], i + 1 == columns.size());
    }
    if (is_dim) out.add(plain);
    out.add("\n");
  }
  out.flush();
}

std::string summary_line(const semantics::Map& map) {
  const semantics::Summary summary = map.summary();
  std::string text = base::format("{} nodes: {} direct, {} inferred, {} unknown", summary.nodes,
                                  summary.direct, summary.inferred, summary.unknown);
  std::string sources;
  for (std::size_t i = 0; i < evidence::source_count; ++i)
    if (summary.by_source[i] > 0)
      sources += base::format("{}{} {}", sources.empty() ? "" : ", ",
                              evidence::name_of(static_cast<evidence::Source>(i)), summary.by_source[i]);
  if (!sources.empty()) text += base::format(" ({})", sources);
  return text + base::format("; {} modules, {} of them ran", summary.modules, summary.executed);
}

}  // namespace thence::output
