// The formats of a comparison, one file per format.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/writer.h"
#include "diff/diff.h"
#include "output/node_names.h"
#include "output/rows.h"

namespace thence::output {

/// Two models and their differences, as input for the formats.
struct Comparison {
  const semantics::Map& a;
  const semantics::Map& b;
  const diff::Report& report;
};

/// The summary, the modules, then the first nodes. Markdown has the same content.
void write_diff_table(const Comparison& comparison, std::size_t width, base::Writer& out);
void write_diff_markdown(const Comparison& comparison, base::Writer& out);
/// schema/diff.schema.json.
void write_diff_json(const Comparison& comparison, base::Writer& out);
/// SARIF 2.1.0: one result per difference, one rule per kind.
void write_diff_sarif(const Comparison& comparison, base::Writer& out);

/// One line per module that differs, then the whole model. Formats: table, json
/// (schema/diff-stat.schema.json), csv, csv-raw, markdown.
struct StatFormat {
  std::string_view format;
  std::size_t width = 0;
  std::optional<std::size_t> depth = {};  // as requested
};
void write_diff_stat(const Comparison& comparison, const StatFormat& format, base::Writer& out);

/// "3 added, 9 fused"
std::string counts_text(const diff::Counts& counts);
/// A table in Markdown.
void write_markdown_rows(const Rows& rows, base::Writer& out);

/// "12 differences: 3 added, 9 fused; ..."
std::string diff_line(const diff::Report& report);

}  // namespace thence::output
