// Cut: divides the main graph into nested groups. Each group is a part of a module's call that can run as one
// unit: no value leaves the group and comes back. Mostly a group is a whole call; otherwise the call becomes
// several groups.
#pragma once

#include <vector>

#include "edit/places.h"

namespace thence::edit {

using GroupId = std::uint32_t;

/// A step of a group: a node or an inner group.
struct Step {
  bool is_group = false;
  std::uint32_t index = 0;
};

struct Group {
  CallId call = 0;
  GroupId around = 0;
  std::uint32_t depth = 0;
  std::vector<Step> steps;  // in a valid execution order
};

struct Cut {
  std::vector<Group> groups;     // number 0 is the main graph; outer groups come first
  std::vector<GroupId> holding;  // the innermost group of each node
};

Cut cut(const MainGraph& graph, const Places& places);

}  // namespace thence::edit
