#include "serve/comparison.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "serve/limits.h"
#include "serve/summaries.h"

namespace thence::serve {

using base::JsonWriter;
using onnx::NodeId;

Result<Comparison> Comparison::make(const semantics::Map& before, const semantics::Map& after,
                                    Relation relation) {
  diff::Report report = diff::compare(before, after);
  if (report.nothing_in_common)
    return Error{ErrorKind::difference, "V004",
                 base::format("{} and {} have nothing in common", base::printable(before.model().file()),
                              base::printable(after.model().file())),
                 "give a model that was made from the other, or another version of it"};
  return Comparison(before, after, std::move(report), relation);
}

Comparison::Comparison(const semantics::Map& before, const semantics::Map& after, diff::Report report,
                       Relation relation)
    : sides_{{.map = &before}, {.map = &after}}, report_(std::move(report)), relation_(relation) {
  sides_[0].group_of = std::move(report_.group_of_a);
  sides_[1].group_of = std::move(report_.group_of_b);
  index_side(sides_[0], &diff::Difference::a);
  index_side(sides_[1], &diff::Difference::b);
}

void Comparison::index_side(Compared& side, std::vector<NodeId> diff::Difference::*nodes) const {
  side.changes.resize(side.map->model().node_count());
  for (NodeId node = 0; node < side.group_of.size(); ++node)
    if (side.group_of[node] != onnx::none) side.by_group.emplace_back(side.group_of[node], node);
  std::sort(side.by_group.begin(), side.by_group.end());
  for (std::uint32_t number = 0; number < report_.differences.size(); ++number)
    for (const NodeId node : report_.differences[number].*nodes) {
      side.changes[node].set(static_cast<std::size_t>(report_.differences[number].kind));
      side.differences.emplace_back(node, number);
    }
  std::sort(side.differences.begin(), side.differences.end());
}

std::vector<NodeId> Comparison::counterparts(Side side, NodeId node) const {
  const std::uint32_t group = sides_[at(side)].group_of[node];
  std::vector<NodeId> found;
  if (group == onnx::none) return found;
  const auto& others = sides_[at(other_side(side))].by_group;
  for (auto one = std::lower_bound(others.begin(), others.end(), std::pair(group, NodeId{0}));
       one != others.end() && one->first == group && found.size() < max_detail_rows; ++one)
    found.push_back(one->second);
  return found;
}

std::optional<modules::ModuleId> Comparison::counterpart(Side side, modules::ModuleId module) const {
  const modules::ModuleTree& ours = sides_[at(side)].map->tree();
  if (module >= ours.size()) return std::nullopt;
  const modules::ModuleId found = sides_[at(other_side(side))].map->tree().find(ours[module].path);
  return found == modules::no_module ? std::nullopt : std::optional(found);
}

void Comparison::write_node(Side side, NodeId node, JsonWriter& json) const {
  const auto& all = sides_[at(side)].differences;
  json.begin_array<"differences">();
  std::size_t count = 0;
  for (auto one = std::lower_bound(all.begin(), all.end(), std::pair(node, std::uint32_t{0}));
       one != all.end() && one->first == node && count < max_detail_rows; ++one, ++count) {
    const diff::Difference& difference = report_.differences[one->second];
    json.begin_object();
    json.member<"kind">(diff::name_of(difference.kind));
    json.member<"detail">(cut_text(difference.detail, max_detail_bytes));
    json.end_object();
  }
  json.end_array();
  json.begin_array<"counterparts">();
  for (const NodeId other : counterparts(side, node)) {
    json.begin_object();
    json.member<"id">(base::format("n{}", other));
    const onnx::Node one = sides_[at(other_side(side))].map->model().node(other);
    json.member<"name">(cut_text(one.name(), max_label_bytes));
    json.member<"op">(cut_text(one.op_type(), max_label_bytes));
    json.end_object();
  }
  json.end_array();
}

}  // namespace thence::serve
