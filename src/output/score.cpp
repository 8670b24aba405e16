// A score as a table and as JSON.

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "output/formats.h"
#include "output/limits.h"

namespace thence::output {
namespace {

using base::JsonWriter;
using score::Counts;
using score::Outcome;

std::string percent(double share) { return base::format("{:.2f}%", 100 * share); }

std::string share(std::size_t part, std::size_t all) {
  return all == 0 ? "-" : percent(static_cast<double>(part) / static_cast<double>(all));
}

void add_counts(std::string_view name, const Counts& counts, base::Writer& out) {
  out.add(base::format(
      "{:<22} {:>8} {:>9} {:>9} {:>9} {:>12} {:>13} {:>8}\n", base::printable(name), counts.with_truth(),
      counts[Outcome::exact], share(counts[Outcome::exact], counts.with_truth()), counts[Outcome::enclosing],
      counts[Outcome::cross_layer], counts[Outcome::wrong_branch], counts[Outcome::unknown]));
}

void add_headings(std::string_view first, base::Writer& out) {
  out.add(base::format("{:<22} {:>8} {:>9} {:>9} {:>9} {:>12} {:>13} {:>8}\n", first, "nodes", "exact",
                       "share", "ancestor", "cross_layer", "wrong_branch", "unknown"));
}

void write_counts(const Counts& counts, JsonWriter& json) {
  json.begin_object();
  json.member<"told">(counts.with_truth());
  for (std::size_t i = 0; i < score::outcome_count; ++i) {
    json.key(score::name_of(static_cast<Outcome>(i)));
    json.value(counts.by_outcome[i]);
  }
  json.end_object();
}

void write_all(const auto& by_name, JsonWriter& json) {
  json.begin_object();
  for (const auto& [name, counts] : by_name) {
    json.key(name);
    write_counts(counts, json);
  }
  json.end_object();
}

void write_figures(const score::Score& score, JsonWriter& json) {
  json.begin_object<"figures">();
  for (const score::Figure& figure : score::figures(score)) {
    json.key(figure.name);
    json.real(figure.value, 6);
  }
  json.end_object();
}

void write_bands(const score::Score& score, JsonWriter& json) {
  json.begin_array<"bands">();
  for (const score::Band& band : score.bands) {
    json.begin_object();
    json.verbatim<"from">(base::format("{:.1f}", band.from));
    json.verbatim<"to">(base::format("{:.1f}", band.to));
    json.member<"answers">(band.answers);
    json.member<"exact">(band.exact);
    json.real<"confidence">(band.confidence, 6);
    json.end_object();
  }
  json.end_array();
}

void write_bases(const score::Score& score, JsonWriter& json) {
  const resolve::ConfidenceTable& table = resolve::ConfidenceTable::shipped();
  json.begin_object<"by_basis">();
  for (const auto& [basis, rested] : score.by_basis) {
    json.key(table.name_of(basis));
    json.begin_object();
    json.member<"answers">(rested.answers);
    json.member<"exact">(rested.exact);
    json.real<"confidence">(table.of(basis), 6);
    json.end_object();
  }
  json.end_object();
}

// Operators with the most wrong or missing answers come first. Operators without any are omitted.
std::vector<std::pair<std::string, Counts>> worst_operators(const score::Score& score) {
  std::vector<std::pair<std::string, Counts>> operators;
  for (const auto& [name, counts] : score.by_op_type)
    if (counts[Outcome::exact] < counts.with_truth()) operators.emplace_back(name, counts);
  const auto missed = [](const Counts& counts) { return counts.with_truth() - counts[Outcome::exact]; };
  std::stable_sort(operators.begin(), operators.end(),
                   [&](const auto& a, const auto& b) { return missed(a.second) > missed(b.second); });
  if (operators.size() > max_shown_operators) operators.resize(max_shown_operators);
  return operators;
}

}  // namespace

void write_score_table(const score::Score& score, base::Writer& out) {
  add_headings("", out);
  add_counts("all", score.counts, out);
  for (const auto& [name, counts] : score.by_source) add_counts(name, counts, out);
  if (!score.by_kind.empty()) {
    out.add("\n");
    add_headings("working on", out);
    for (const auto& [name, counts] : score.by_kind) add_counts(name, counts, out);
  }
  if (const auto operators = worst_operators(score); !operators.empty()) {
    out.add("\n");
    add_headings("operators that miss", out);
    for (const auto& [name, counts] : operators) add_counts(name, counts, out);
  }
  out.add(base::format("\n{:<22} {:>8} {:>9} {:>9}\n", "confidence", "answers", "exact", "expected"));
  for (const score::Band& band : score.bands)
    if (band.answers > 0)
      out.add(base::format("{:<22} {:>8} {:>9} {:>9}\n", base::format("{:.1f} to {:.1f}", band.from, band.to),
                           band.answers, share(band.exact, band.answers),
                           percent(band.confidence / static_cast<double>(band.answers))));
  out.add("\n");
  for (const score::Figure& figure : score::figures(score))
    out.add(base::format("{:<22} {:.4f}\n", figure.name, figure.value));
  if (score.counts[Outcome::enclosing] > 0)
    out.add(base::format(
        "{:<22} {:.1f} levels on average\n", "ancestors lie above",
        static_cast<double>(score.enclosing_steps) / static_cast<double>(score.counts[Outcome::enclosing])));
}

void write_score_json(const score::Score& score, const std::string& model, std::string_view strategy,
                      base::Writer& out) {
  JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">("thence.score/1");
  json.member<"model">(model);
  json.member<"strategy">(strategy);
  json.member<"nodes">(score.nodes);
  json.key<"counts">();
  write_counts(score.counts, json);
  write_figures(score, json);
  json.member<"hf_exact">(score.hf_exact);
  json.member<"ancestor_steps">(score.enclosing_steps);
  json.member<"confidently_wrong">(score.confidently_wrong);
  json.begin_object<"made">();
  json.member<"nodes">(score.exporter_nodes.nodes);
  json.member<"owner">(score.exporter_nodes.owner);
  json.member<"answered">(score.exporter_nodes.answered);
  json.end_object();
  json.begin_object<"calls">();
  json.member<"right">(score.calls.right);
  json.member<"wrong">(score.calls.wrong);
  json.member<"unknown">(score.calls.unknown);
  json.end_object();
  json.begin_object<"members">();
  json.member<"nodes">(score.members.nodes);
  json.member<"complete">(score.members.complete);
  json.member<"expected">(score.members.expected);
  json.member<"missing">(score.members.missing);
  json.member<"extra">(score.members.extra);
  json.member<"shared">(score.members.shared);
  json.end_object();
  write_bands(score, json);
  json.key<"by_source">();
  write_all(score.by_source, json);
  write_bases(score, json);
  json.key<"by_op_type">();
  write_all(score.by_op_type, json);
  json.key<"by_kind">();
  write_all(score.by_kind, json);
  json.end_object();
  out.add("\n");
  out.flush();
}

}  // namespace thence::output
