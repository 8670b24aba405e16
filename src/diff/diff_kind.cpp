#include "diff/diff_kind.h"

#include <vector>

#include "base/brief.h"
#include "base/format.h"

namespace thence::diff {
namespace {

struct KindText {
  std::string_view name, text;
};
constexpr KindText kind_texts[diff_kind_count] = {
    {"added", "only the second model has it"},
    {"removed", "only the first model has it"},
    {"moved", "the same work, in another module"},
    {"fused", "several nodes of the first model are fewer in the second"},
    {"split", "nodes of the first model are more in the second"},
    {"retyped", "another operator between the same values"},
    {"rewired", "the same operator of other values, or an output that is another value"},
    {"quantised", "the same work, on quantised numbers in one of the models"},
    {"weights", "weights of other content"},
    {"precision", "the same weights in another element type"},
    {"renamed", "an input or output of the model has another name"},
    {"shapes", "another shape"},
    {"attributes", "other attributes, sizes, axes or indices"},
    {"not_compared", "weights that could not be compared: their data cannot be read"},
};

}  // namespace

std::string_view name_of(DiffKind kind) { return kind_texts[static_cast<std::size_t>(kind)].name; }
std::string_view text_of(DiffKind kind) { return kind_texts[static_cast<std::size_t>(kind)].text; }

std::optional<DiffKind> diff_kind_of(std::string_view name) {
  for (std::size_t i = 0; i < diff_kind_count; ++i)
    if (kind_texts[i].name == name) return static_cast<DiffKind>(i);
  return std::nullopt;
}

Error unknown_kind(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KindText& one : kind_texts) names.push_back(one.name);
  return {ErrorKind::usage, "U023", base::format("unknown kind of difference '{}'", base::brief(name)),
          base::format("kinds: {}", base::joined(names, ", "))};
}

}  // namespace thence::diff
