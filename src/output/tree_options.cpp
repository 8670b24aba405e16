#include "output/tree_options.h"

#include "base/brief.h"
#include "base/format.h"
#include "base/nearest_names.h"

namespace thence::output {
namespace {

struct NamedMeasure {
  std::string_view name;
  Measure measure;
};
constexpr NamedMeasure measures[] = {
    {"none", Measure::none},   {"params", Measure::parameters}, {"bytes", Measure::bytes},
    {"nodes", Measure::nodes}, {"flops", Measure::flops},       {"confidence", Measure::confidence},
};

}  // namespace

std::optional<Measure> measure_named(std::string_view name) {
  for (const NamedMeasure& one : measures)
    if (one.name == name) return one.measure;
  return std::nullopt;
}

std::optional<Error> find_unknown_size(const Tree& tree) {
  const shapes::Sizes& sizes = tree.inferred.sizes;
  const std::vector<std::string_view> unused = sizes.unused_given();
  if (unused.empty()) return std::nullopt;
  base::NameHint hint(unused.front());
  for (const std::string& name : sizes.unset_names())
    if (!name.starts_with('(')) hint.add(name);  // others are results of divisions
  return Error{
      ErrorKind::usage, "U031",
      base::format("--sizes: the model names no size '{}'", base::brief(unused.front())),
      hint.has_names() ? hint.text() : "all sizes of the model are numbers, or are set by other names"};
}

}  // namespace thence::output
