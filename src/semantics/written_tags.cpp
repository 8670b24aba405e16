#include "semantics/written_tags.h"

#include <unordered_set>

namespace thence::semantics {

using modules::ModuleId;
using modules::no_module;

WrittenTags written_tags(const hierarchy::Hierarchy& hierarchy) {
  WrittenTags written;
  if (hierarchy.tree().is_complete()) return written;
  std::unordered_set<ModuleId> disputed;
  for (const hierarchy::NodeTag& tag : hierarchy.tags()) {
    if (!tag.is_current || tag.module == no_module) continue;
    const bool shown = !tag.text.empty();
    const WrittenTag read{shown ? hierarchy.tree().find(tag.hf_module) : no_module, tag.text};
    const auto [entry, is_new] = written.emplace(tag.module, read);
    if ((!is_new && entry->second != read) || (shown && read.hf_module == no_module))
      disputed.insert(tag.module);
  }
  for (const ModuleId module : disputed) written.erase(module);
  return written;
}

}  // namespace thence::semantics
