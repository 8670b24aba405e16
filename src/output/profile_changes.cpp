// What became faster or slower between two profiles.

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "output/fitted_table.h"
#include "output/limits.h"
#include "output/profile_formats.h"

namespace thence::output {
namespace {

using base::JsonWriter;
using profile::Change;
using profile::Verdict;

std::string name_of_change(const ComparedProfiles& compared, const Change& change) {
  if (change.is_total) return "(total)";
  if (change.is_unexplained) return "(no module)";
  const bool is_root = compared.before.by() == profile::GroupBy::module && change.key.empty();
  return is_root ? "(root)" : base::printable(change.key);
}

std::string signed_milliseconds(double microseconds) { return base::format("{:+.3f}", microseconds / 1000); }

std::string relative(const Change& change) {
  if (change.before <= 0) return {};
  return base::format("{:+.1f}%", 100 * change.difference / change.before);
}

bool has_interval(const Change& change) { return change.verdict != Verdict::too_few_runs; }

void write_change(const ComparedProfiles& compared, const Change& change, JsonWriter& json) {
  json.begin_object();
  json.key<"key">();
  change.is_total || change.is_unexplained ? json.null() : json.value(change.key);
  json.member<"kind">(change.is_total         ? "total"
                      : change.is_unexplained ? "unexplained"
                                              : name_of(compared.before.by()));
  json.real<"before_us">(change.before, 12);
  json.real<"after_us">(change.after, 12);
  json.real<"difference_us">(change.difference, 12);
  json.begin_array<"interval_us">();
  if (has_interval(change)) {
    json.real(change.low, 12);
    json.real(change.high, 12);
  }
  json.end_array();
  json.member<"verdict">(name_of(change.verdict));
  json.end_object();
}

}  // namespace

void write_changes_table(const ComparedProfiles& compared, const TableStyle& style, base::Writer& out) {
  FittedTable table;
  table.columns = {
      {.title = std::string(name_of(compared.before.by())), .min_width = 16},
      {.title = "before ms", .right = true, .drop_priority = 2},
      {.title = "after ms", .right = true, .drop_priority = 3},
      {.title = "difference ms", .right = true},
      {.title = "interval ms", .right = true, .drop_priority = 4},
      {.title = "relative", .right = true, .drop_priority = 1},
      {.title = "verdict"},
  };
  for (const Change& change : compared.comparison.changes) {
    std::string cells[] = {truncate_middle(name_of_change(compared, change), max_name_width),
                           milliseconds(change.before),
                           milliseconds(change.after),
                           signed_milliseconds(change.difference),
                           has_interval(change) ? base::format("{} to {}", signed_milliseconds(change.low),
                                                               signed_milliseconds(change.high))
                                                : std::string(),
                           relative(change),
                           std::string(name_of(change.verdict))};
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      table.columns[i].cells.push_back(std::move(cells[i]));
    table.dim_rows.push_back(change.verdict == Verdict::no_significant_change);
  }
  write_fitted_table(std::move(table), style.width, style.colour, out);
  out.flush();
}

void write_changes_json(const ComparedProfiles& compared, base::Writer& out) {
  JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">("thence.profile_changes/1");
  json.member<"model">(compared.before.profile().map->model().file());
  json.member<"against_model">(compared.after.profile().map->model().file());
  json.member<"runs">(compared.comparison.runs_before);
  json.member<"against_runs">(compared.comparison.runs_after);
  json.member<"by">(name_of(compared.before.by()));
  json.new_line();
  json.begin_array<"changes">();
  for (const Change& change : compared.comparison.changes) {
    json.new_line();
    write_change(compared, change, json);
    out.flush_if_full();
  }
  json.end_array();
  json.end_object();
  out.add("\n");
  out.flush();
}

void write_changes_jsonl(const ComparedProfiles& compared, base::Writer& out) {
  for (const Change& change : compared.comparison.changes) {
    JsonWriter json(out.buffer());
    write_change(compared, change, json);
    out.add("\n");
  }
  out.flush();
}

void write_changes_csv(const ComparedProfiles& compared, Formulas formulas, base::Writer& out) {
  out.add(base::format("{},before_us,after_us,difference_us,low_us,high_us,verdict\n",
                       name_of(compared.before.by())));
  for (const Change& change : compared.comparison.changes) {
    std::string& line = out.buffer();
    append_csv_field(line, name_of_change(compared, change), formulas);
    line += base::format(",{:.12g},{:.12g},{:.12g},", change.before, change.after, change.difference);
    line +=
        has_interval(change) ? base::format("{:.12g},{:.12g},", change.low, change.high) : std::string(",,");
    line += base::format("{}\n", name_of(change.verdict));
    out.flush_if_full();
  }
  out.flush();
}

std::string changes_summary(const ComparedProfiles& compared) {
  const std::vector<Change>& changes = compared.comparison.changes;
  const auto count = [&](Verdict verdict) {
    return std::count_if(changes.begin() + 1, changes.end(),
                         [&](const Change& change) { return change.verdict == verdict; });
  };
  const Change& total = changes.front();
  return base::format(
      "total: {}{}; of {} rows, {} faster, {} slower, {} without significant change", name_of(total.verdict),
      total.verdict == Verdict::too_few_runs ? " to compare (5 of each are needed)" : "", changes.size() - 1,
      count(Verdict::faster), count(Verdict::slower), count(Verdict::no_significant_change));
}

}  // namespace thence::output
