#include "semantics/filtered_note.h"

#include <map>

#include "base/format.h"
#include "base/text.h"
#include "semantics/thresholds.h"

namespace thence::semantics {
namespace {

using ByClass = std::map<std::string_view, std::size_t>;  // by short names, as users write them

template <class Entry>
std::string joined_entries(const ByClass& classes, Entry entry) {
  std::string text;
  for (const auto& [name, count] : classes)
    if (text.size() < max_class_bytes)
      text += (text.empty() ? "" : ",") + entry(base::printable(name), count);
  return text;
}

}  // namespace

std::optional<Diagnostic> filtered_note(const resolve::Resolution& resolution,
                                        const modules::ModuleTree& tree, const modules::ClassFilter& filter) {
  if (resolution.filtered_by_class.empty()) return std::nullopt;
  ByClass filtered, exceptions;
  std::size_t all = 0, own = 0;
  for (const auto& [name, count] : resolution.filtered_by_class) {
    filtered[modules::short_class(name)] += count;
    all += count;
  }
  for (const resolve::Attribution& node : resolution.nodes) {
    if (!node.known()) continue;
    const std::string_view shown = tree[filter.hf_module(tree, node.module)].class_name;
    if (modules::is_torch_nn(shown))
      ++exceptions[modules::short_class(shown)];
    else
      ++own;
  }
  const auto with_count = [](const std::string& name, std::size_t count) {
    return base::format("{} {}", name, count);
  };
  const auto with_space = [](const std::string& name, std::size_t count) {
    return base::format(" {} {}", name, count);
  };
  const auto name_only = [](const std::string& name, std::size_t) { return name; };
  ByClass wanted = exceptions;
  wanted.insert(filtered.begin(), filtered.end());
  return Diagnostic{
      "T002", Severity::note, "",
      base::format(
          "tagged: {} nodes of the model's own classes{}{}; left out: {} of torch.nn's ({}); to have them, "
          "too: --torch-nn-exceptions {}",
          own, exceptions.empty() ? "" : ", of exceptions:", joined_entries(exceptions, with_space), all,
          joined_entries(filtered, with_count), joined_entries(wanted, name_only))};
}

}  // namespace thence::semantics
