// A comparison in numbers: one line per module that differs.

#include <charconv>

#include "base/format.h"
#include "base/json_writer.h"
#include "output/csv.h"
#include "output/diff_formats.h"

namespace thence::output {
namespace {

using diff::DiffKind;
using diff::StatRow;

std::string stat_path(const StatRow& row) {
  return !row.known ? "(unknown)" : row.path.empty() ? "(root)" : row.path;
}

// Three significant digits, for people.
Cell rounded_change(const StatRow& row) {
  const auto change = row.relative_change();
  if (!change) return std::monostate();
  const std::string text = base::format("{:.3g}", *change);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

std::vector<Cell> text_cells(const StatRow& row, std::string name) {
  return {std::move(name),
          std::uint64_t{row.nodes_a},
          std::uint64_t{row.nodes_b},
          std::uint64_t{row.weights},
          std::uint64_t{row.changed},
          rounded_change(row),
          counts_text(row.counts)};
}

// For a terminal and Markdown, with the total.
Rows text_rows(const diff::Report& report) {
  Rows rows{.schema = {},
            .list = {},
            .columns = {"module", "nodes A", "nodes B", "weights", "changed", "change", "differences"}};
  for (const StatRow& row : report.stat)
    if (row.differences() > 0) rows.cells.push_back(text_cells(row, stat_path(row)));
  rows.cells.push_back(text_cells(report.stat_total, "(total)"));
  return rows;
}

// One column per kind, and no rounding.
Rows csv_rows(const diff::Report& report) {
  Rows rows{.schema = {}, .list = {}, .columns = {"module", "nodes_a", "nodes_b", "differences"}};
  for (std::size_t i = 0; i < diff::diff_kind_count; ++i)
    rows.columns.push_back(diff::name_of(static_cast<DiffKind>(i)));
  for (const std::string_view name :
       {"weights_compared", "weights_changed", "weights_not_measured", "relative_change"})
    rows.columns.push_back(name);
  for (const StatRow& row : report.stat) {
    if (row.differences() == 0) continue;
    std::vector<Cell> cells{stat_path(row), std::uint64_t{row.nodes_a}, std::uint64_t{row.nodes_b},
                            std::uint64_t{row.differences()}};
    for (const std::size_t count : row.counts) cells.emplace_back(std::uint64_t{count});
    for (const std::size_t count : {row.weights, row.changed, row.unmeasured})
      cells.emplace_back(std::uint64_t{count});
    const auto change = row.relative_change();
    cells.push_back(change ? Cell(*change) : Cell(std::monostate()));
    rows.cells.push_back(std::move(cells));
  }
  return rows;
}

void write_numbers(const StatRow& row, base::JsonWriter& json) {
  json.member<"nodes_a">(row.nodes_a);
  json.member<"nodes_b">(row.nodes_b);
  json.member<"differences">(row.differences());
  json.begin_object<"by_kind">();
  for (std::size_t i = 0; i < row.counts.size(); ++i) {
    if (row.counts[i] == 0) continue;
    json.key(diff::name_of(static_cast<DiffKind>(i)));
    json.value(row.counts[i]);
  }
  json.end_object();
  json.member<"weights_compared">(row.weights);
  json.member<"weights_changed">(row.changed);
  json.member<"weights_not_measured">(row.unmeasured);
  json.key<"relative_change">();
  const auto change = row.relative_change();
  change ? json.verbatim(base::format("{}", *change)) : json.null();
}

void write_stat_json(const Comparison& comparison, const StatFormat& format, base::Writer& out) {
  base::JsonWriter json(out.buffer());
  const diff::Report& report = comparison.report;
  json.begin_object();
  json.member<"schema">("thence.diff-stat/1");
  json.member<"a">(comparison.a.model().file());
  json.member<"b">(comparison.b.model().file());
  json.member<"same">(report.same());
  json.member<"nothing_in_common">(report.nothing_in_common);
  json.begin_array<"ignored">();
  for (const DiffKind kind : report.ignored) json.value(diff::name_of(kind));
  json.end_array();
  json.key<"depth">();
  format.depth ? json.value(*format.depth) : json.null();
  json.begin_array<"modules">();
  for (const StatRow& row : report.stat) {
    if (row.differences() == 0) continue;
    json.new_line();
    json.begin_object();
    json.key<"module">();
    row.known ? json.value(row.path) : json.null();
    write_numbers(row, json);
    json.end_object();
    out.flush_if_full();
  }
  json.end_array();
  json.new_line();
  json.begin_object<"total">();
  write_numbers(report.stat_total, json);
  json.end_object();
  json.end_object();
  out.add("\n");
}

}  // namespace

void write_diff_stat(const Comparison& comparison, const StatFormat& format, base::Writer& out) {
  if (format.format == "json")
    write_stat_json(comparison, format, out);
  else if (is_csv(format.format))
    write_rows(csv_rows(comparison.report), format.format, 0, out);
  else if (format.format == "markdown")
    write_markdown_rows(text_rows(comparison.report), out);
  else
    write_rows(text_rows(comparison.report), "table", format.width, out);
  out.flush();
}

}  // namespace thence::output
