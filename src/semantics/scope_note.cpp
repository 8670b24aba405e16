#include "semantics/scope_note.h"

#include <algorithm>

#include "base/format.h"

namespace thence::semantics {

std::optional<Diagnostic> scope_note(const resolve::Resolution& resolution, const modules::ModuleTree& tree) {
  const auto scopes = std::count_if(
      resolution.nodes.begin(), resolution.nodes.end(),
      [&](const resolve::Attribution& node) { return node.known() && tree[node.module].is_scope; });
  if (scopes == 0) return std::nullopt;
  return Diagnostic{
      "M004", Severity::note, "",
      base::format(
          "{} of {} nodes are labelled with scopes of the tool that wrote the file, which need not be "
          "modules; to name modules: --model FOLDER or --capture FILE",
          scopes, resolution.nodes.size())};
}

}  // namespace thence::semantics
