// Partition: divides the main graph into nested groups. Each group is a part of a module's call that can run
// as one unit: no value leaves the group and comes back. Mostly a group is a whole call; otherwise the call
// becomes several groups.
#pragma once

#include <vector>

#include "edit/call_tree.h"

namespace thence::edit {

using GroupId = std::uint32_t;

/// A step of a group: a node or an inner group.
struct GroupStep {
  bool is_group = false;
  std::uint32_t index = 0;
};

struct Group {
  CallId call = 0;
  GroupId enclosing = 0;
  std::uint32_t depth = 0;
  std::vector<GroupStep> steps;  // in a valid execution order
};

struct Partition {
  std::vector<Group> groups;         // number 0 is the main graph; outer groups come first
  std::vector<GroupId> node_groups;  // the innermost group of each node
};

Partition partition_graph(const MainGraph& graph, const CallTree& call_tree);

}  // namespace thence::edit
