// Tags: a module's class path from the root, such as /Model/Encoder/Layer.0/Attention. Only shown classes
// appear. If classes repeat, an ordinal makes the tag unique.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/class_filter.h"
#include "modules/module_tree.h"

namespace thence::semantics {

enum class TagFormat { ordinal, bare };  // bare: classes alone, so that several modules may share a tag

class Tags {
 public:
  Tags(const modules::ModuleTree& tree, const modules::ClassFilter& filter, TagFormat format);

  /// The tag of a shown module. The root is omitted if its class is unknown. Empty if the tag is longer than
  /// `max_tag_bytes`.
  std::string of(modules::ModuleId shown) const;

 private:
  struct TagPosition {
    modules::ModuleId shown_parent = modules::no_module;
    std::uint32_t ordinal = 0;
    bool is_repeated = false;
  };
  const modules::ModuleTree& tree_;
  TagFormat format_;
  std::vector<TagPosition> positions_;
};

}  // namespace thence::semantics
