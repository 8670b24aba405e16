// A profile for users: the module tree with times, or a table of groups.

#include "base/format.h"
#include "base/text.h"
#include "output/fitted_table.h"
#include "output/limits.h"
#include "output/profile_formats.h"

namespace thence::output {
namespace {

using profile::GroupBy;
using profile::ProfileRows;
using profile::Row;

std::string name_of_row(const ProfileRows& rows, const Row& row) {
  if (row.is_unexplained) return "(no module)";
  if (rows.by() != GroupBy::module) return base::printable(row.key);
  const bool is_tree = row.depth > 0;
  if (row.module == modules::root) return "(root)";
  const std::string_view name = is_tree ? rows.profile().map->tree()[row.module].name() : row.key;
  return std::string(row.depth * 2, ' ') + base::printable(name);
}

std::string share_of(double part, double whole) {
  return whole > 0 ? base::format("{:.1f}%", 100 * part / whole) : std::string();
}

}  // namespace

std::string milliseconds(double microseconds) { return base::format("{:.3f}", microseconds / 1000); }

void write_profile_table(const ProfileRows& rows, const TableStyle& style, base::Writer& out) {
  const bool is_by_module = rows.by() == GroupBy::module;
  FittedTable table;
  table.columns = {
      {.title = std::string(name_of(rows.by())), .min_width = 16},
      {.title = "class", .drop_priority = 3, .min_width = 12},
      {.title = "calls", .right = true, .drop_priority = 4},
      {.title = "self ms", .right = true, .drop_priority = 2},
      {.title = "total ms", .right = true},
      {.title = "share", .right = true},
      {.title = "p50 ms", .right = true, .drop_priority = 5},
      {.title = "p90 ms", .right = true, .drop_priority = 6},
  };
  const modules::ModuleTree& tree = rows.profile().map->tree();
  const double whole = rows.profile().recording.kernel_microseconds();
  for (const Row& row : rows.rows()) {
    if (row.is_unexplained && !is_by_module && row.share_count == 0) continue;
    const bool has_class = is_by_module && !row.is_unexplained;
    std::string cells[] = {
        truncate(name_of_row(rows, row), max_name_width),
        has_class
            ? truncate(base::printable(modules::short_class(tree[row.module].class_name)), max_name_width)
            : std::string(),
        std::to_string(row.calls),
        is_by_module ? milliseconds(row.self_microseconds) : std::string(),
        milliseconds(row.total_microseconds),
        share_of(row.total_microseconds, whole),
        row.p50 ? milliseconds(*row.p50) : std::string(),
        row.p90 ? milliseconds(*row.p90) : std::string()};
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      table.columns[i].cells.push_back(std::move(cells[i]));
    table.dim_rows.push_back(row.total_microseconds == 0);
  }
  write_fitted_table(std::move(table), style.width, style.colour, out);
  out.flush();
}

std::string profile_summary(const ProfileRows& rows) {
  const profile::JoinedProfile& profile = rows.profile();
  const profile::Recording& recording = profile.recording;
  const double whole = recording.kernel_microseconds(), unexplained = profile.unexplained_microseconds();
  const std::size_t runs = recording.averaged_runs > 0 ? recording.averaged_runs : recording.runs.size();
  std::string text =
      base::format("{} of {} kernels matched; {} {}{}; kernels {} ms", profile.matched_kernels(),
                   recording.kernels.size(), runs, runs == 1 ? "run" : "runs",
                   recording.averaged_runs > 0 ? " (times are averages)" : "", milliseconds(whole));
  if (const auto wall = recording.wall_microseconds())
    text += base::format(", wall {} ms", milliseconds(*wall));
  return text + base::format(", without a module {} ms ({:.1f}%)", milliseconds(unexplained),
                             whole > 0 ? 100 * unexplained / whole : 0);
}

}  // namespace thence::output
