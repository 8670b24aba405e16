#include "resolve/members.h"

#include <algorithm>

#include "resolve/propagate.h"
#include "shapes/operators.h"

namespace thence::resolve {
namespace {

using evidence::Part;

template <class Use>
void each_tag_in_use(const hierarchy::Hierarchy& hierarchy, Resolution& resolution, Use use) {
  for (const hierarchy::NodeTag& tag : hierarchy.tags()) {
    Attribution& node = resolution.nodes[tag.node];
    if (node.source == evidence::Source::tags && node.module == tag.module) use(tag, node);
  }
}

// Of several members that compute, the module around them.
ModuleId find_computing(const modules::ModuleTree& tree, const std::vector<ModuleId>& members,
                        const std::vector<Part>& parts) {
  ModuleId found = no_module;
  for (std::size_t i = 0; i < std::min(members.size(), parts.size()); ++i)
    if (parts[i] == Part::compute)
      found = found == no_module ? members[i] : tree.nearest_common_module(found, members[i]);
  return found;
}

// The members of a node that was fused, by names alone. An optimiser keeps the name of the node that it fused
// others into, which did the work; a merged norm is listed after the owner of the weight.
std::vector<Part> parts_by_names(const onnx::Node& operation, const std::vector<ModuleId>& members,
                                 const Attribution& node) {
  std::vector<Part> parts(members.size(), Part::other);
  (node.rule == DecisionRule::fused_output ? parts.back() : parts.front()) =
      evidence::part_of_operator(operation.domain(), operation.op_type());
  return parts;
}

// The members of a node that holds weights of several modules: projections that were joined do the same, and
// a norm adds a residual of the module around it.
std::vector<Part> parts_by_weights(const onnx::Node& operation, const std::vector<ModuleId>& members) {
  const Part part = evidence::part_of_operator(operation.domain(), operation.op_type());
  std::vector<Part> parts(members.size(), part == Part::norm ? Part::arithmetic : part);
  parts.front() = part;
  return parts;
}

}  // namespace

void apply_tagged_members(const hierarchy::Hierarchy& hierarchy, Resolution& resolution) {
  each_tag_in_use(hierarchy, resolution, [&](const hierarchy::NodeTag& tag, Attribution& node) {
    const std::vector<hierarchy::TaggedMember>& members = hierarchy.members_of(tag);
    node.module_set = 0;
    if (members.size() < 2) return;
    std::vector<ModuleId> modules;
    std::vector<Part> parts;
    for (const hierarchy::TaggedMember& member : members) {
      modules.push_back(member.module);
      parts.push_back(evidence::part_named(member.part));
    }
    set_modules(resolution, tag.node, std::move(modules));
    if (!members.front().part.empty()) resolution.parts.insert_or_assign(tag.node, std::move(parts));
  });
}

void apply_tagged_weight_owners(const hierarchy::Hierarchy& hierarchy, Resolution& resolution) {
  each_tag_in_use(hierarchy, resolution, [](const hierarchy::NodeTag& tag, Attribution& node) {
    if (tag.weight_owner != no_module) node.weight_owner = tag.weight_owner;
  });
}

void find_computing_modules(const onnx::Model& model, const modules::ModuleTree& tree,
                            Resolution& resolution) {
  for (onnx::NodeId id = 0; id < resolution.nodes.size(); ++id) {
    Attribution& node = resolution.nodes[id];
    if (!node.known() || node.module_set == 0) continue;
    if (node.rule == DecisionRule::fused_output || node.rule == DecisionRule::weight_of_merged)
      resolution.parts.emplace(id,
                               parts_by_names(model.node(id), resolution.module_sets[node.module_set], node));
    if (node.rule == DecisionRule::weight_held)
      resolution.parts.emplace(id, parts_by_weights(model.node(id), resolution.module_sets[node.module_set]));
    if (!shapes::counts_macs(model.node(id).domain(), model.node(id).op_type())) continue;
    const std::vector<ModuleId>& members = resolution.module_sets[node.module_set];
    if (const auto parts = resolution.parts.find(id); parts != resolution.parts.end())
      node.computing = find_computing(tree, members, parts->second);
  }
}

}  // namespace thence::resolve
