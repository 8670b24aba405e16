#include "output/verification.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/format.h"
#include "base/text.h"
#include "output/json_text.h"

namespace thence::output {
namespace {

using resolve::Verification;

constexpr std::size_t most_named = 20;  // refuted claims; the JSON answer has all

// Why numbers cannot tell, as python/thence/verify says it, in words for people.
struct Why {
  std::string_view name, text;
};
constexpr Why reasons[] = {
    {"too_few_numbers", "too few different numbers"},
    {"same_as_others", "the same numbers as many others"},
    {"too_coarse", "numbers too coarse to tell"},
    {"quantised_form", "integers of a quantised form alone"},
    {"not_exposed", "inside a body or a fused node"},
    {"no_numbers", "no numbers, or too many"},
    {"random", "random numbers"},
};

std::string_view text_of(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(reasons), std::end(reasons), [&](const Why& why) { return why.name == name; });
  return found == std::end(reasons) ? name : found->text;
}

std::size_t sum_of(const Verification& step) {
  std::size_t sum = 0;
  for (const auto& [why, count] : step.not_comparable) sum += count;
  return sum;
}

void append_text(const Verification& step, std::string& out) {
  base::append_format(out, "{} against {}: ", base::printable(step.descendant),
                      base::printable(step.ancestor));
  if (!step.not_run.empty())
    return base::append_format(out, "not verified: {}\n", base::printable(step.not_run));
  base::append_format(out, "{} claims\n  {:<15}{:>7}\n  {:<15}{:>7}\n  {:<15}{:>7}", step.claims, "confirmed",
                      step.confirmed, "refuted", step.refuted.size(), "not comparable", sum_of(step));
  std::string_view separator = "  ";
  for (const auto& [why, count] : step.not_comparable) {
    base::append_format(out, "{}{} {}", separator, count, text_of(why));
    separator = ", ";
  }
  out += '\n';
  for (std::size_t i = 0; i < std::min(most_named, step.refuted.size()); ++i) {
    const Verification::Refuted& one = step.refuted[i];
    base::append_format(out, "  refuted: {} {}: {} is not {}, {}\n", base::printable(one.node),
                        base::printable(one.place), base::printable(one.value),
                        base::printable(one.ancestor_value),
                        one.off ? base::format("off by {:.2g}", *one.off) : "of another size");
  }
  if (step.refuted.size() > most_named)
    base::append_format(out, "  and {} more\n", step.refuted.size() - most_named);
}

void append_json(const Verification& step, std::string& out) {
  out += R"({"ancestor":)";
  append_json_string(out, step.ancestor);
  out += R"(,"descendant":)";
  append_json_string(out, step.descendant);
  out += R"(,"not_run":)";
  append_json_string_or_null(out, step.not_run);
  base::append_format(out, R"(,"claims":{},"confirmed":{},"refuted":{},"not_comparable":{{)", step.claims,
                      step.confirmed, step.refuted.size());
  bool first = true;
  for (const auto& [why, count] : step.not_comparable) {
    if (!first) out += ',';
    first = false;
    append_json_string(out, why);
    base::append_format(out, ":{}", count);
  }
  out += R"(},"refuted_claims":[)";
  first = true;
  for (const Verification::Refuted& refuted : step.refuted) {
    out += first ? R"({"node":)" : R"(,{"node":)";
    first = false;
    append_json_string(out, refuted.place);
    out += R"(,"value":)";
    append_json_string(out, refuted.value);
    out += R"(,"ancestor_value":)";
    append_json_string(out, refuted.ancestor_value);
    out += R"(,"off":)";
    out += refuted.off && std::isfinite(*refuted.off) ? base::format("{:.3g}}}", *refuted.off) : "null}";
  }
  out += "]}";
}

}  // namespace

std::string verification_text(const semantics::Map& map) {
  std::string text;
  if (map.lent() == nullptr) return text;
  for (const Verification& step : map.lent()->verifications) append_text(step, text);
  return text;
}

void append_verification_json(const semantics::Map& map, std::string& out) {
  if (map.lent() == nullptr || map.lent()->verifications.empty()) return;
  out += "\"verification\":[";
  bool first = true;
  for (const Verification& step : map.lent()->verifications) {
    out += first ? "\n" : ",\n";
    first = false;
    append_json(step, out);
  }
  out += "],\n";
}

}  // namespace thence::output
