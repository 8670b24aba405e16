#include "evidence/strength.h"

#include <array>

namespace thence::evidence {
namespace {

constexpr std::array<std::string_view, strength_count> strength_names = {
    "names_one",
    "uncorroborated",
    "inferred_call",
    "names_several",
    "rewritten",
    "foreign",
    "reads",
    "aligned",
    "aligned_uncertain",
    "aligned_shape",
    "aligned_shape_uncertain",
    "reordered",
    "reordered_majority",
    "reordered_disputed",
    "reordered_shape",
    "reordered_shape_majority",
    "reordered_shape_disputed",
    "relabelled",
    "leading_view",
    "same_node",
    "same_inputs",
    "same_weight",
    "same_consumers",
    "same_region",
    "unique_remaining",
    "same_view",
    "inserted",
    "feeds_matched",
    "feeds_matched_indirectly",
    "secondary",
    "other_caller",
    "outer_module",
    "same_code",
    "reads_in_body",
    "enclosed",
    "by_weights",
    "by_outer_scope",
    "holds",
    "scope",
};

// Runs in the compiler only: a name that is not listed does not compile.
consteval std::uint8_t key(std::string_view name) {
  std::uint8_t at = 0;
  while (strength_names.at(at) != name) ++at;
  return at;
}

constexpr std::uint8_t by_reading[] = {key("names_one"),    key("uncorroborated"), key("inferred_call"),
                                       key("foreign"),      key("rewritten"),      key("leading_view"),
                                       key("other_caller"), key("outer_module"),   key("same_code"),
                                       key("by_weights"),   key("by_outer_scope"), key("scope")};
// By is_reordered, is_shape_or_constant and certainty. A file in order has one alignment: it is certain or
// not.
constexpr std::uint8_t by_alignment[2][2][3] = {
    {{key("aligned"), key("aligned_uncertain"), key("aligned_uncertain")},
     {key("aligned_shape"), key("aligned_shape_uncertain"), key("aligned_shape_uncertain")}},
    {{key("reordered"), key("reordered_majority"), key("reordered_disputed")},
     {key("reordered_shape"), key("reordered_shape_majority"), key("reordered_shape_disputed")}}};
constexpr std::uint8_t by_match[] = {key("same_node"),     key("same_inputs"),
                                     key("same_weight"),   key("same_consumers"),
                                     key("same_region"),   key("unique_remaining"),
                                     key("same_view"),     key("inserted"),
                                     key("feeds_matched"), key("feeds_matched_indirectly"),
                                     key("enclosed")};

}  // namespace

std::size_t key_of(Strength strength) {
  if (strength.has_rivals) return key("names_several");
  if (strength.is_secondary) return key("secondary");
  switch (strength.statement) {
    case Statement::name: return by_reading[static_cast<std::size_t>(strength.reading)];
    case Statement::parameter:
      if (strength.is_by_content) return key("holds");
      return strength.is_in_body ? key("reads_in_body") : key("reads");
    case Statement::alignment:
      if (strength.is_relabelled) return key("relabelled");
      return by_alignment[strength.is_reordered][strength.is_shape_or_constant]
                         [static_cast<std::size_t>(strength.certainty)];
    case Statement::proof: return by_match[static_cast<std::size_t>(strength.match)];
  }
  return key("names_one");
}

std::string_view name_of_key(std::size_t key) { return strength_names[key]; }

}  // namespace thence::evidence
