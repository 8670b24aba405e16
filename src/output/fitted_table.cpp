#include "output/fitted_table.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "output/styles.h"

namespace thence::output {
namespace {

constexpr std::string_view gap = "  ";

std::vector<std::size_t> column_widths(const FittedTable& table) {
  std::vector<std::size_t> widths;
  for (const FittedColumn& column : table.columns) {
    std::size_t most = base::display_width(column.title);
    for (const std::string& cell : column.cells) most = std::max(most, base::display_width(cell));
    widths.push_back(most);
  }
  return widths;
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), widths.empty() ? 0 : gap.size() * (widths.size() - 1));
}

// The number of bytes in the first `columns` terminal columns of a text.
std::size_t bytes_of_width(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t kept = 0; kept < columns && end < text.size(); ++kept)
    end += std::max<std::size_t>(base::utf8_length(text.substr(end)), 1);
  return end;
}

// Shortens and drops columns until the table fits or nothing more can be removed.
void fit_to_width(FittedTable& table, std::vector<std::size_t>& widths, std::size_t width) {
  while (total_width(widths) > width) {
    const auto first = std::max_element(
        table.columns.begin(), table.columns.end(),
        [](const FittedColumn& a, const FittedColumn& b) { return a.drop_priority < b.drop_priority; });
    std::size_t excess = total_width(widths) - width;
    for (std::size_t i = table.columns.size(); i-- > 0 && excess > 0;) {
      const std::size_t least =
          std::max(table.columns[i].min_width, base::display_width(table.columns[i].title));
      if (table.columns[i].min_width == 0 || widths[i] <= least) continue;
      const std::size_t cut = std::min(excess, widths[i] - least);
      if (cut == excess || first->drop_priority == 0) {
        widths[i] -= cut;
        excess -= cut;
      }
    }
    if (excess == 0 || first->drop_priority == 0) return;
    widths.erase(widths.begin() + (first - table.columns.begin()));
    table.columns.erase(first);
  }
}

}  // namespace

std::string truncate(const std::string& text, std::size_t width) {
  if (base::display_width(text) <= width) return text;
  return text.substr(0, bytes_of_width(text, width - std::min<std::size_t>(width, 1))) + "…";
}

std::string truncate_middle(const std::string& text, std::size_t width) {
  const std::size_t all = base::display_width(text);
  if (all <= width) return text;
  if (width < 3) return truncate(text, width);
  // The end of a path identifies it better than its beginning, so it gets the odd column.
  const std::size_t front = (width - 1) / 2, back = width - 1 - front;
  return text.substr(0, bytes_of_width(text, front)) + "…" + text.substr(bytes_of_width(text, all - back));
}

void fit_widths(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least, std::size_t width) {
  const auto limit_widths = [&](std::size_t limit) {
    std::vector<std::size_t> shrunk = widths;
    for (std::size_t i = 0; i < shrunk.size(); ++i)
      shrunk[i] = std::min(shrunk[i], std::max(limit, least[i]));
    return shrunk;
  };
  if (widths.empty() || total_width(widths) <= width) return;
  std::size_t fitting_limit = 0, exceeding_limit = *std::max_element(widths.begin(), widths.end());
  while (exceeding_limit - fitting_limit > 1) {
    const std::size_t middle = fitting_limit + (exceeding_limit - fitting_limit) / 2;
    (total_width(limit_widths(middle)) <= width ? fitting_limit : exceeding_limit) = middle;
  }
  const std::vector<std::size_t> before = widths;
  widths = limit_widths(fitting_limit);
  // Remaining columns go to the leftmost shrunk columns.
  for (std::size_t i = 0; i < widths.size() && total_width(widths) < width; ++i)
    if (widths[i] < before[i]) ++widths[i];
}

namespace {

// A line of a table, cell by cell. Spaces are written only if text follows them.
class LineWriter {
 public:
  explicit LineWriter(base::Writer& out) : out_(out) {}

  void add(const std::string& text, std::size_t width, bool right, std::string_view colour) {
    const std::size_t used = base::display_width(text), padding = width - std::min(width, used);
    if (!first_) pending_spaces_ += gap.size();
    first_ = false;
    if (right) pending_spaces_ += padding;
    if (used > 0) {
      out_.add(std::string(pending_spaces_, ' '));
      pending_spaces_ = 0;
      if (!colour.empty()) out_.add(colour);
      out_.add(text);
      if (!colour.empty()) out_.add(plain);
    }
    if (!right) pending_spaces_ += padding;
  }

 private:
  base::Writer& out_;
  std::size_t pending_spaces_ = 0;
  bool first_ = true;
};

}  // namespace

void write_fitted_table(FittedTable table, std::size_t width, bool colour, base::Writer& out) {
  std::erase_if(table.columns, [](const FittedColumn& column) {
    return std::all_of(column.cells.begin(), column.cells.end(),
                       [](const std::string& cell) { return cell.empty(); });
  });
  std::vector<std::size_t> widths = column_widths(table);
  if (width > 0) fit_to_width(table, widths, width);
  const auto write_line = [&](auto cell, bool coloured) {
    LineWriter line(out);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const FittedColumn& column = table.columns[i];
      line.add(truncate(cell(column), widths[i]), widths[i], column.right,
               coloured ? column.colour : std::string_view());
    }
  };
  if (colour) out.add(bold);
  write_line([](const FittedColumn& column) { return column.title; }, false);
  if (colour) out.add(plain);
  out.add("\n");
  const std::size_t rows = table.columns.empty() ? 0 : table.columns.front().cells.size();
  for (std::size_t row = 0; row < rows; ++row) {
    const bool is_dim = colour && row < table.dim_rows.size() && table.dim_rows[row];
    if (is_dim) out.add(dim);
    write_line([&](const FittedColumn& column) { return column.cells[row]; }, colour && !is_dim);
    if (is_dim) out.add(plain);
    out.add("\n");
  }
}

}  // namespace thence::output
