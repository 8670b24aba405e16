#include "output/account.h"

#include "base/format.h"
#include "base/text.h"
#include "output/limits.h"

namespace thence::output {
namespace {

using base::JsonWriter;
using weights::Account;
using weights::AccountRow;

// Sums over the parameters of the live model, or over its buffers.
struct Totals {
  std::uint64_t live = 0, in_file = 0, folded = 0, absent = 0;
};

Totals totals_of(const Account& account, bool buffers) {
  Totals totals;
  for (const AccountRow& row : account.rows) {
    if (row.parameter->is_buffer != buffers) continue;
    totals.live += row.elements;
    totals.in_file += row.in_file;
    totals.folded += row.folded();
    totals.absent += row.absent();
  }
  return totals;
}

void write_totals(const Totals& totals, JsonWriter& json) {
  json.member<"live">(totals.live);
  json.member<"in_file">(totals.in_file);
  json.member<"folded">(totals.folded);
  json.member<"absent">(totals.absent);
}

// The rows of which some elements are of this kind.
template <class Count>
void write_rows(const Account& account, Count count, JsonWriter& json) {
  for (const AccountRow& row : account.rows) {
    const std::uint64_t elements = count(row);
    if (elements == 0) continue;
    json.begin_object();
    json.member<"name">(row.parameter->path);
    json.verbatim<"buffer">(row.parameter->is_buffer ? "true" : "false");
    json.member<"elements">(elements);
    json.end_object();
  }
}

// "12  a.weight, b.weight and 3 more".
template <class Count>
std::string line_of(const Account& account, std::string_view title, std::uint64_t total, Count count) {
  std::string names;
  std::size_t listed = 0, more = 0;
  for (const AccountRow& row : account.rows) {
    if (row.parameter->is_buffer || count(row) == 0) continue;
    if (listed == max_listed_parameters)
      ++more;
    else
      names += (listed++ == 0 ? "  " : ", ") + base::printable(row.parameter->path);
  }
  if (more > 0) names += base::format(" and {} more", more);
  return base::format("  {:<12} {:>12}{}\n", title, total, names);
}

}  // namespace

void write_account(const Account& account, JsonWriter& json) {
  if (!account.has_live_model) return json.null<"account">();
  json.begin_object<"account">();
  write_totals(totals_of(account, false), json);
  json.begin_object<"buffers">();
  write_totals(totals_of(account, true), json);
  json.end_object();
  json.begin_array<"folded_parameters">();
  write_rows(account, [](const AccountRow& row) { return row.folded(); }, json);
  json.end_array();
  json.begin_array<"absent_parameters">();
  write_rows(account, [](const AccountRow& row) { return row.absent(); }, json);
  json.end_array();
  json.begin_array<"tied_parameters">();
  for (const AccountRow& row : account.rows) {
    if (row.parameter->aliases.empty()) continue;
    json.begin_object();
    json.member<"name">(row.parameter->path);
    json.array<"aliases">(row.parameter->aliases);
    json.member<"elements">(row.elements);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_uncounted(const std::vector<Uncounted>& uncounted, JsonWriter& json) {
  json.begin_array<"uncounted">();
  for (const Uncounted& one : uncounted) {
    json.begin_object();
    json.member<"operator">(one.op);
    json.member<"nodes">(one.nodes);
    json.member<"reason">(one.is_unknown_operator ? "unknown_operator" : "unknown_shapes");
    json.end_object();
  }
  json.end_array();
}

std::string account_text(const Account& account) {
  if (!account.has_live_model) return {};
  const Totals totals = totals_of(account, false);
  std::string text = base::format("\nparameters of the live model: {}\n", totals.live);
  text += base::format("  {:<12} {:>12}\n", "in the file", totals.in_file);
  text += line_of(account, "folded away", totals.folded, [](const AccountRow& row) { return row.folded(); });
  text += line_of(account, "absent", totals.absent, [](const AccountRow& row) { return row.absent(); });
  for (const AccountRow& row : account.rows)
    if (!row.parameter->aliases.empty())
      text += base::format("  tied: {} = {}\n", base::printable(row.parameter->path),
                           base::printable(base::joined(row.parameter->aliases, " = ")));
  return text;
}

std::string uncounted_text(const std::vector<Uncounted>& uncounted) {
  std::string text;
  for (const Uncounted& one : uncounted)
    text +=
        base::format("{}{} ({} nodes: {})", text.empty() ? "\nuncounted: " : ", ", base::printable(one.op),
                     one.nodes, one.is_unknown_operator ? "unknown operator" : "unknown shapes");
  return text.empty() ? text : text + "\n";
}

}  // namespace thence::output
