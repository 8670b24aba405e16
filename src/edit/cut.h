// Cut: the main graph as groups within groups, each a stretch of a module's call that can run in one go: no
// value leaves it and comes back. Mostly that is the whole call; where it is not, the call is several groups.
#pragma once

#include <vector>

#include "edit/places.h"

namespace thence::edit {

using GroupId = std::uint32_t;

/// A step of a group: a node, or a group within it.
struct Step {
  bool is_group = false;
  std::uint32_t index = 0;
};

struct Group {
  CallId call = 0;
  GroupId around = 0;
  std::uint32_t depth = 0;
  std::vector<Step> steps;  // in an order in which they can run
};

struct Cut {
  std::vector<Group> groups;     // number 0 is the main graph; the one around comes first
  std::vector<GroupId> holding;  // the innermost group of each node
};

Cut cut(const MainGraph& graph, const Places& places);

}  // namespace thence::edit
