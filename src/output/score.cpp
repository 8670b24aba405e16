// A score as a table and as JSON.

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/text.h"
#include "output/formats.h"
#include "output/json_text.h"

namespace thence::output {
namespace {

using score::Counts;
using score::Verdict;

constexpr std::size_t most_operators = 10;

std::string percent(double share) { return base::format("{:.2f}%", 100 * share); }

std::string share(std::size_t part, std::size_t all) {
  return all == 0 ? "-" : percent(static_cast<double>(part) / static_cast<double>(all));
}

void add_counts(std::string_view name, const Counts& counts, base::Writer& out) {
  out.add(base::format("{:<22} {:>8} {:>9} {:>9} {:>9} {:>12} {:>13} {:>8}\n", base::printable(name),
                       counts.told(), counts[Verdict::exact], share(counts[Verdict::exact], counts.told()),
                       counts[Verdict::ancestor], counts[Verdict::cross_layer], counts[Verdict::wrong_branch],
                       counts[Verdict::unknown]));
}

void add_headings(std::string_view first, base::Writer& out) {
  out.add(base::format("{:<22} {:>8} {:>9} {:>9} {:>9} {:>12} {:>13} {:>8}\n", first, "nodes", "exact",
                       "share", "ancestor", "cross_layer", "wrong_branch", "unknown"));
}

void append_counts(const Counts& counts, std::string& text) {
  text += base::format(R"({{"told":{})", counts.told());
  for (std::size_t i = 0; i < score::verdict_count; ++i)
    text += base::format(R"(,"{}":{})", score::name_of(static_cast<Verdict>(i)), counts.of[i]);
  text += '}';
}

void append_all(const auto& by_name, std::string& text) {
  bool first = true;
  for (const auto& [name, counts] : by_name) {
    if (!first) text += ',';
    first = false;
    append_json_string(text, name);
    text += ':';
    append_counts(counts, text);
  }
}

// Those with the most wrong or missing answers first; those without any are left out.
std::vector<std::pair<std::string, Counts>> worst_operators(const score::Score& score) {
  std::vector<std::pair<std::string, Counts>> operators;
  for (const auto& [name, counts] : score.by_op_type)
    if (counts[Verdict::exact] < counts.told()) operators.emplace_back(name, counts);
  const auto missed = [](const Counts& counts) { return counts.told() - counts[Verdict::exact]; };
  std::stable_sort(operators.begin(), operators.end(),
                   [&](const auto& a, const auto& b) { return missed(a.second) > missed(b.second); });
  if (operators.size() > most_operators) operators.resize(most_operators);
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
  out.add(base::format("\n{:<22} {:>8} {:>9} {:>9}\n", "confidence", "answers", "exact", "said"));
  for (const score::Band& band : score.bands)
    if (band.answers > 0)
      out.add(base::format("{:<22} {:>8} {:>9} {:>9}\n", base::format("{:.1f} to {:.1f}", band.from, band.to),
                           band.answers, share(band.exact, band.answers),
                           percent(band.confidence / static_cast<double>(band.answers))));
  out.add("\n");
  for (const score::Figure& figure : score::figures(score))
    out.add(base::format("{:<22} {:.4f}\n", figure.name, figure.value));
  if (score.counts[Verdict::ancestor] > 0)
    out.add(base::format(
        "{:<22} {:.1f} levels on average\n", "ancestors lie above",
        static_cast<double>(score.ancestor_steps) / static_cast<double>(score.counts[Verdict::ancestor])));
}

void write_score_json(const score::Score& score, const std::string& model, std::string_view strategy,
                      base::Writer& out) {
  std::string& text = out.buffer();
  text += R"({"schema":"thence.score/1","model":)";
  append_json_string(text, model);
  text += R"(,"strategy":)";
  append_json_string(text, strategy);
  text += base::format(R"(,"nodes":{},"counts":)", score.nodes);
  append_counts(score.counts, text);
  text += R"(,"figures":{)";
  bool first = true;
  for (const score::Figure& figure : score::figures(score)) {
    text += base::format(R"({}"{}":{:.6g})", first ? "" : ",", figure.name, figure.value);
    first = false;
  }
  text += base::format(R"(}},"hf_exact":{},"ancestor_steps":{},"confidently_wrong":{})", score.hf_exact,
                       score.ancestor_steps, score.confidently_wrong);
  text += base::format(R"(,"made":{{"nodes":{},"owner":{},"answered":{}}},"bands":[)", score.made.nodes,
                       score.made.owner, score.made.answered);
  first = true;
  for (const score::Band& band : score.bands) {
    text += base::format(R"({}{{"from":{:.1f},"to":{:.1f},"answers":{},"exact":{},"confidence":{:.6g}}})",
                         first ? "" : ",", band.from, band.to, band.answers, band.exact, band.confidence);
    first = false;
  }
  text += R"(],"by_source":{)";
  append_all(score.by_source, text);
  text += R"(},"by_basis":{)";
  first = true;
  for (const auto& [basis, rested] : score.by_basis) {
    const resolve::Confidence& table = resolve::Confidence::shipped();
    text += base::format(R"({}"{}":{{"answers":{},"exact":{},"confidence":{:.6g}}})", first ? "" : ",",
                         table.name_of(basis), rested.answers, rested.exact, table.of(basis));
    first = false;
  }
  text += R"(},"by_op_type":{)";
  append_all(score.by_op_type, text);
  text += R"(},"by_kind":{)";
  append_all(score.by_kind, text);
  text += "}}\n";
  out.flush();
}

}  // namespace thence::output
