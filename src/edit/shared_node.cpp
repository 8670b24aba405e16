#include "edit/shared_node.h"

#include <algorithm>
#include <unordered_map>

#include "edit/rewrite.h"
#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::edit {
namespace {

using onnx::NodeField;
using wire::bytes_tag;

std::string_view whole(const wire::Fields& field) {
  return {field.start(), static_cast<std::size_t>(field.rest() - field.start())};
}

bool is_annotation(std::uint32_t tag) {
  return tag == bytes_tag(NodeField::doc_string) || tag == bytes_tag(NodeField::metadata_props);
}

bool is_value(std::uint32_t tag) {
  return tag == bytes_tag(NodeField::input) || tag == bytes_tag(NodeField::output);
}

bool is_thence_entry(std::string_view entry) {
  return onnx::read_metadata_entry(entry).key.starts_with(key_prefix);
}

// Collects the doc strings and metadata that are the same in all nodes that share one node of a body.
class CommonFields {
 public:
  void add(std::string_view node) {
    ++nodes_;
    for (wire::Fields field(node); field.next();) {
      if (!is_annotation(field.tag())) continue;
      Occurrences& known = occurrences_[whole(field)];
      if (known.last != nodes_) ++known.times;
      known.last = nodes_;
    }
  }
  bool has(std::string_view field) const {
    const auto known = occurrences_.find(field);
    return known != occurrences_.end() && known->second.times == nodes_;
  }

 private:
  struct Occurrences {
    std::size_t times = 0, last = 0;
  };
  std::unordered_map<std::string_view, Occurrences> occurrences_;
  std::size_t nodes_ = 0;
};

void add_fields(SharedNode& shared, std::string_view node, const CommonFields* common) {
  shared.fields.clear();
  for (wire::Fields field(node); field.next();) {
    if (field.tag() == bytes_tag(NodeField::name)) continue;
    const bool is_dropped =
        is_annotation(field.tag()) &&
        (common == nullptr || !common->has(whole(field)) ||
         (field.tag() == bytes_tag(NodeField::metadata_props) && is_thence_entry(field.bytes())));
    if (!is_dropped) shared.fields.push_back(whole(field));
  }
}

// Whether a field of one module's node is a field of the shared node. Values differ by name only.
bool is_same_field(const wire::Fields& field, std::string_view shared) {
  if (!is_value(field.tag())) return whole(field) == shared;
  wire::Fields other(shared);
  return other.next() && other.tag() == field.tag();
}

}  // namespace

bool is_shortest(std::string_view whole_field, std::string_view payload) {
  std::size_t length_bytes = 1;
  for (std::size_t rest = payload.size(); rest >= 0x80; rest >>= 7) ++length_bytes;
  return whole_field.size() == 1 + length_bytes + payload.size();
}

SharedNode find_shared_node(const Fold& fold, const Function& function, std::size_t step) {
  const auto node_of = [&](GroupId group) {
    return fold.graph.model().node(fold.bodies.by_group[group].steps[step].index).bytes();
  };
  CommonFields common;
  for (const GroupId group : function.groups) common.add(node_of(group));
  const std::string_view first = node_of(function.groups.front());
  SharedNode shared{fold.bodies.by_group[function.groups.front()].steps[step].index, {}};
  add_fields(shared, first, &common);
  const bool fits = std::all_of(function.groups.begin(), function.groups.end(), [&](GroupId group) {
    return find_annotations(shared, node_of(group)).has_value();
  });
  if (!fits) add_fields(shared, first, nullptr);  // annotations in different orders
  return shared;
}

std::optional<std::vector<functions::Insertion>> find_annotations(const SharedNode& shared,
                                                                  std::string_view node) {
  std::vector<functions::Insertion> annotations;
  std::size_t position = 0;
  for (wire::Fields field(node); field.next();) {
    if (position < shared.fields.size() && is_same_field(field, shared.fields[position])) {
      ++position;
      continue;
    }
    if (!is_annotation(field.tag()) && field.tag() != bytes_tag(NodeField::name)) return std::nullopt;
    if (!annotations.empty() && annotations.back().position == position &&
        annotations.back().bytes.end() == whole(field).begin())
      annotations.back().bytes = {annotations.back().bytes.data(), whole(field).end()};
    else
      annotations.push_back({position, whole(field), 0});
  }
  if (position < shared.fields.size()) return std::nullopt;
  return annotations;
}

}  // namespace thence::edit
