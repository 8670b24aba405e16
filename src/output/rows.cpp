#include "output/rows.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "output/csv.h"
#include "output/fitted_table.h"

namespace thence::output {
namespace {

using base::JsonWriter;

bool is_number(const Cell& cell) {
  return !std::holds_alternative<std::string>(cell) && !std::holds_alternative<std::monostate>(cell);
}

std::string number_text(const Cell& cell) {
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return std::to_string(*count);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  return base::format("{}", std::get<double>(cell));
}

std::string cell_text(const Cell& cell) {
  if (is_number(cell)) return number_text(cell);
  const std::string* const text = std::get_if<std::string>(&cell);
  return text != nullptr ? base::printable(*text) : std::string();
}

void write_value(const Cell& cell, JsonWriter& json) {
  const double* const real = std::get_if<double>(&cell);
  if (const std::string* const text = std::get_if<std::string>(&cell))
    json.value(*text);
  else if (!is_number(cell) || (real != nullptr && !std::isfinite(*real)))  // JSON has no infinity
    json.null();
  else
    json.verbatim(number_text(cell));
}

std::vector<std::size_t> row_column_widths(const Rows& rows, std::size_t width) {
  std::vector<std::size_t> widths, least;
  for (const std::string_view column : rows.columns) widths.push_back(column.size());
  for (const std::size_t title : widths) least.push_back(std::max<std::size_t>(title, 8));
  for (const auto& row : rows.cells)
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], base::display_width(cell_text(row[i])));
      if (is_number(row[i])) least[i] = std::max(least[i], widths[i]);  // numbers are never shortened
    }
  if (width > 0) fit_widths(widths, least, width);
  return widths;
}

// Text is left-aligned, numbers are right-aligned.
void write_table(const Rows& rows, std::size_t width, base::Writer& out) {
  if (rows.cells.empty()) return;
  const std::vector<std::size_t> widths = row_column_widths(rows, width);
  const auto line = [&](auto text_of, auto right) {
    std::string text;
    for (std::size_t i = 0; i < rows.columns.size(); ++i) {
      const std::string cell = truncate_middle(text_of(i), widths[i]);
      const std::string space(widths[i] - std::min(widths[i], base::display_width(cell)), ' ');
      if (i > 0) text += "  ";
      text += right(i) ? space + cell : cell + space;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out.add(text + "\n");
  };
  const auto number_in = [&](const std::vector<Cell>& row) {
    return [&row](std::size_t i) { return is_number(row[i]); };
  };
  line([&](std::size_t i) { return std::string(rows.columns[i]); }, number_in(rows.cells.front()));
  for (const auto& row : rows.cells) line([&](std::size_t i) { return cell_text(row[i]); }, number_in(row));
}

void write_csv(const Rows& rows, Formulas formulas, base::Writer& out) {
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    if (i > 0) out.add(',');
    out.add(rows.columns[i]);
  }
  out.add("\n");
  for (const auto& row : rows.cells) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out.add(',');
      append_csv_field(out.buffer(), cell_text(row[i]), is_number(row[i]) ? Formulas::kept : formulas);
    }
    out.add("\n");
  }
}

void write_object(const Rows& rows, const std::vector<Cell>& row, JsonWriter& json) {
  json.begin_object();
  for (std::size_t i = 0; i < row.size(); ++i) {
    json.key(rows.columns[i]);
    write_value(row[i], json);
  }
  json.end_object();
}

void write_document(const Rows& rows, base::Writer& out) {
  JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">(rows.schema);
  for (const auto& [name, value] : rows.head) {
    json.key(name);
    write_value(value, json);
  }
  json.key(rows.list);
  json.begin_array();
  for (const std::vector<Cell>& row : rows.cells) {
    json.new_line_between();
    write_object(rows, row, json);
    out.flush_if_full();
  }
  json.end_array();
  json.end_object();
  out.add("\n");
}

}  // namespace

void write_rows(const Rows& rows, std::string_view format, std::size_t width, base::Writer& out) {
  if (format == "json") {
    write_document(rows, out);
  } else if (is_csv(format)) {
    write_csv(rows, formulas_in(format), out);
  } else if (format == "jsonl") {
    for (const auto& row : rows.cells) {
      JsonWriter json(out.buffer());
      write_object(rows, row, json);
      out.add("\n");
    }
  } else if (format == "names") {
    for (const auto& row : rows.cells) out.add(row.empty() ? "\n" : cell_text(row.front()) + "\n");
  } else {
    write_table(rows, width, out);
  }
  out.flush();
}

}  // namespace thence::output
