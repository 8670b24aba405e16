#include "output/verification.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/format.h"
#include "base/text.h"
#include "output/limits.h"

namespace thence::output {
namespace {

using base::JsonWriter;
using evidence::Verification;

// Texts for users for the reasons that python/thence/verify gives if numbers cannot decide.
struct ReasonText {
  std::string_view name, text;
};
constexpr ReasonText reasons[] = {
    {"too_few_numbers", "too few different numbers"},
    {"same_as_others", "the same numbers as many others"},
    {"too_coarse", "numbers too coarse to compare"},
    {"quantised_form", "integers of a quantised form alone"},
    {"not_exposed", "inside a body or a fused node"},
    {"no_numbers", "no numbers, or too many"},
    {"random", "random numbers"},
};

std::string_view text_of(std::string_view name) {
  const auto* const found = std::find_if(std::begin(reasons), std::end(reasons),
                                         [&](const ReasonText& why) { return why.name == name; });
  return found == std::end(reasons) ? name : found->text;
}

std::size_t count_not_comparable(const Verification& step) {
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
                      step.confirmed, "refuted", step.refuted.size(), "not comparable",
                      count_not_comparable(step));
  std::string_view separator = "  ";
  for (const auto& [why, count] : step.not_comparable) {
    base::append_format(out, "{}{} {}", separator, count, text_of(why));
    separator = ", ";
  }
  out += '\n';
  for (std::size_t i = 0; i < std::min(max_shown_refuted_claims, step.refuted.size()); ++i) {
    const Verification::Refuted& one = step.refuted[i];
    base::append_format(out, "  refuted: {} {}: {} is not {}, {}\n", base::printable(one.node),
                        base::printable(one.location), base::printable(one.value),
                        base::printable(one.ancestor_value),
                        one.deviation ? base::format("off by {:.2g}", *one.deviation) : "of another size");
  }
  if (step.refuted.size() > max_shown_refuted_claims)
    base::append_format(out, "  and {} more\n", step.refuted.size() - max_shown_refuted_claims);
}

void write_refuted(const Verification::Refuted& refuted, JsonWriter& json) {
  json.begin_object();
  json.member<"node">(refuted.location);
  json.member<"value">(refuted.value);
  json.member<"ancestor_value">(refuted.ancestor_value);
  json.key<"off">();
  refuted.deviation&& std::isfinite(*refuted.deviation) ? json.real(*refuted.deviation, 3) : json.null();
  json.end_object();
}

void write_step(const Verification& step, JsonWriter& json) {
  json.begin_object();
  json.member<"ancestor">(step.ancestor);
  json.member<"descendant">(step.descendant);
  json.member_or_null<"not_run">(step.not_run);
  json.member<"claims">(step.claims);
  json.member<"confirmed">(step.confirmed);
  json.member<"refuted">(step.refuted.size());
  json.begin_object<"not_comparable">();
  for (const auto& [why, count] : step.not_comparable) {
    json.key(why);
    json.value(count);
  }
  json.end_object();
  json.begin_array<"refuted_claims">();
  for (const Verification::Refuted& refuted : step.refuted) write_refuted(refuted, json);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string verification_text(const semantics::Map& map) {
  std::string text;
  if (map.ancestor() == nullptr) return text;
  for (const Verification& step : map.ancestor()->verifications) append_text(step, text);
  return text;
}

void write_verification(const semantics::Map& map, base::JsonWriter& json) {
  if (map.ancestor() == nullptr || map.ancestor()->verifications.empty()) return;
  json.new_line();
  json.begin_array<"verification">();
  for (const Verification& step : map.ancestor()->verifications) {
    json.new_line();
    write_step(step, json);
  }
  json.end_array();
}

}  // namespace thence::output
