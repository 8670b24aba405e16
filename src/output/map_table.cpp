// A map as a table for people.

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "output/formats.h"
#include "output/styles.h"

namespace thence::output {
namespace {

constexpr std::size_t widest = 64;

// A nameless node is called by its place, as on the command line.
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
  const std::size_t used = base::columns(text);
  out.append(used < width ? width - used + 2 : 2, ' ');
}

}  // namespace

void write_map_table(const semantics::Map& map, const Nodes& nodes, const std::vector<Column>& columns,
                     bool colour, base::Writer& out) {
  ColumnReader reader(map);
  std::vector<std::size_t> widths;
  for (const Column& column : columns) widths.push_back(column.name.size());
  for (std::size_t row = 0; row < nodes.size(); ++row)
    for (std::size_t i = 0; i < columns.size(); ++i)
      widths[i] = std::min(widest, std::max(widths[i], base::columns(cell(reader, columns[i], nodes[row]))));
  if (colour) out.add(bold);
  for (std::size_t i = 0; i < columns.size(); ++i)
    append_padded(out.buffer(), columns[i].name, widths[i], i + 1 == columns.size());
  if (colour) out.add(plain);
  out.add("\n");
  for (std::size_t row = 0; row < nodes.size() && out.ok(); ++row) {
    const onnx::NodeId id = nodes[row];
    const bool faint = colour && !map.answer(id).known();
    if (faint) out.add(dim);
    for (std::size_t i = 0; i < columns.size(); ++i)
      append_padded(out.buffer(), cell(reader, columns[i], id), widths[i], i + 1 == columns.size());
    if (faint) out.add(plain);
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
