// Tags: a module's class path from the root, such as /Model/Encoder/Layer.0/Attention. Only shown classes
// appear, and where classes repeat, an ordinal keeps the tag one module's own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hierarchy/class_filter.h"
#include "hierarchy/module_tree.h"

namespace thence::semantics {

enum class TagFormat { ordinal, bare };  // bare: classes alone, so that several modules may share a tag

class Tags {
 public:
  Tags(const hierarchy::ModuleTree& tree, const hierarchy::ClassFilter& filter, TagFormat format);

  /// The tag of a shown module, without the root where its class is unknown; empty when it would fill a page.
  std::string of(hierarchy::ModuleId shown) const;

 private:
  struct Place {
    hierarchy::ModuleId shown_parent = hierarchy::no_module;
    std::uint32_t ordinal = 0;
    bool repeated = false;
  };
  const hierarchy::ModuleTree& tree_;
  TagFormat format_;
  std::vector<Place> places_;
};

}  // namespace thence::semantics
