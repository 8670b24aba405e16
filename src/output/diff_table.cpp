// A comparison for users: tables for a terminal, or Markdown.

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "output/diff_formats.h"
#include "output/limits.h"

namespace thence::output {
namespace {

using diff::Difference;
using diff::DiffKind;
using diff::ModuleRow;
using diff::Report;

std::string module_text(const ModuleRow& module) {
  return !module.known ? "(unknown)" : module.path.empty() ? "(root)" : module.path;
}

std::string names_text(NodeNames& names, const std::vector<onnx::NodeId>& nodes) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size() && i < max_named_nodes; ++i)
    text += base::format("{}{}", i == 0 ? "" : ", ", names.of(nodes[i]));
  if (nodes.size() > max_named_nodes) text += base::format(" and {} more", nodes.size() - max_named_nodes);
  return text;
}

Rows kind_rows(const Report& report) {
  Rows rows{.schema = {}, .list = {}, .columns = {"kind", "count", "meaning"}};
  for (std::size_t i = 0; i < diff::diff_kind_count; ++i)
    if (report.counts[i] > 0)
      rows.cells.push_back({std::string(diff::name_of(static_cast<DiffKind>(i))),
                            std::uint64_t{report.counts[i]},
                            std::string(diff::text_of(static_cast<DiffKind>(i)))});
  return rows;
}

Rows module_rows(const Report& report, std::size_t& omitted) {
  Rows rows{.schema = {}, .list = {}, .columns = {"module", "nodes A", "nodes B", "differences"}};
  for (const ModuleRow& module : report.modules) {
    if (module.differences() == 0) continue;
    if (rows.cells.size() == max_diff_rows) {
      ++omitted;
      continue;
    }
    rows.cells.push_back({module_text(module), std::uint64_t{module.nodes_a}, std::uint64_t{module.nodes_b},
                          counts_text(module.counts)});
  }
  return rows;
}

Rows node_rows(const Comparison& comparison, std::size_t& omitted) {
  const Report& report = comparison.report;
  Rows rows{.schema = {}, .list = {}, .columns = {"module", "kind", "A", "B", "detail"}};
  NodeNames names_a(comparison.a.model()), names_b(comparison.b.model());
  const std::size_t count = std::min(report.differences.size(), max_diff_rows);
  for (const Difference& each : std::span(report.differences).first(count))
    rows.cells.push_back({module_text(report.modules[each.module]), std::string(diff::name_of(each.kind)),
                          names_text(names_a, each.a), names_text(names_b, each.b), each.detail});
  omitted = report.differences.size() - count;
  return rows;
}

// Markdown tables break at "|" and at line ends.
std::string markdown_cell(const Cell& cell) {
  if (const auto* const count = std::get_if<std::uint64_t>(&cell)) return std::to_string(*count);
  if (const auto* const real = std::get_if<double>(&cell)) return base::format("{}", *real);
  std::string text;
  if (!std::holds_alternative<std::string>(cell)) return text;
  for (const char c : base::printable(std::get<std::string>(cell))) {
    if (c == '|' || c == '`' || c == '<' || c == '*' || c == '_' || c == '[') text += '\\';
    text += c;
  }
  return text;
}

// Writes the parts common to both formats, with the number of omitted rows.
template <class Table, class Title>
void write_parts(const Comparison& comparison, base::Writer& out, Table table, Title title) {
  if (comparison.report.same()) return;
  const auto more = [&](std::size_t omitted) {
    if (omitted > 0) out.add(base::format("... and {} more: --format json has them all\n", omitted));
  };
  std::size_t omitted = 0;
  title("Kinds");
  table(kind_rows(comparison.report));
  title("Modules");
  table(module_rows(comparison.report, omitted));
  more(omitted);
  title("Nodes");
  table(node_rows(comparison, omitted));
  more(omitted);
}

}  // namespace

std::string counts_text(const diff::Counts& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0)
      text += base::format("{}{} {}", text.empty() ? "" : ", ", counts[i],
                           diff::name_of(static_cast<DiffKind>(i)));
  return text;
}

void write_markdown_rows(const Rows& rows, base::Writer& out) {
  std::string head = "|", rule = "|";
  for (const std::string_view column : rows.columns)
    head.append(" ").append(column).append(" |"), rule += " --- |";
  out.add(head + "\n" + rule + "\n");
  for (const auto& row : rows.cells) {
    std::string line = "|";
    for (const Cell& cell : row) line += " " + markdown_cell(cell) + " |";
    out.add(line + "\n");
  }
}

std::string diff_line(const Report& report) {
  std::size_t known = 0;
  for (const ModuleRow& module : report.modules) known += module.known;
  std::string text = report.nothing_in_common ? "nothing in common; " : "";
  if (report.same())
    text += "no difference";
  else
    text += base::format("{} difference{}: {}", report.differences.size(),
                         report.differences.size() == 1 ? "" : "s", counts_text(report.counts));
  for (std::size_t i = 0; i < report.ignored.size(); ++i)
    text += base::format("{}{}", i == 0 ? ", ignoring " : " ", diff::name_of(report.ignored[i]));
  text += base::format("; {} of {} modules and {} of {} nodes the same", report.same_modules, known,
                       report.same_nodes, report.nodes_b);
  return text;
}

void write_diff_table(const Comparison& comparison, std::size_t width, base::Writer& out) {
  out.add(diff_line(comparison.report) + "\n");
  write_parts(
      comparison, out, [&](const Rows& rows) { write_rows(rows, "table", width, out); },
      [&](const char*) { out.add("\n"); });
  out.flush();
}

void write_diff_markdown(const Comparison& comparison, base::Writer& out) {
  out.add(base::format("**{}** and **{}**: {}\n", markdown_cell(comparison.a.model().file()),
                       markdown_cell(comparison.b.model().file()), diff_line(comparison.report)));
  write_parts(
      comparison, out, [&](const Rows& rows) { write_markdown_rows(rows, out); },
      [&](const char* title) { out.add(base::format("\n## {}\n\n", title)); });
  out.flush();
}

}  // namespace thence::output
