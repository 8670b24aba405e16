#include "profile/node_names.h"

#include <algorithm>

#include "hierarchy/derived_names.h"

namespace thence::profile {

NodeNames::NodeNames(const onnx::Model& model) : model_(model) {
  for (onnx::NodeId node = 0; node < model.node_count(); ++node)
    if (!model.node(node).name().empty()) by_name_.push_back(node);
  std::sort(by_name_.begin(), by_name_.end(), [&](onnx::NodeId a, onnx::NodeId b) {
    const std::string_view first = model.node(a).name(), second = model.node(b).name();
    return first != second ? first < second : a < b;
  });
}

std::span<const onnx::NodeId> NodeNames::named(std::string_view name) const {
  const auto begin = std::partition_point(by_name_.begin(), by_name_.end(),
                                          [&](onnx::NodeId node) { return model_.node(node).name() < name; });
  const auto end = std::partition_point(begin, by_name_.end(),
                                        [&](onnx::NodeId node) { return model_.node(node).name() == name; });
  return {begin, end};
}

std::span<const onnx::NodeId> NodeNames::derived(std::string_view name) const {
  if (name.empty()) return {};
  const std::string_view original = hierarchy::DerivedNames::shipped().original_node(name);
  // onnxruntime numbers new nodes by their operator too ("Transpose_token_5"); an operator is not a node's
  // name.
  const bool may_be_operator =
      name.find("_token_") != std::string_view::npos && original.find('/') == std::string_view::npos;
  if (original != name && !may_be_operator)
    if (const auto found = named(original); !found.empty()) return found;
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos || slash == 0 ? std::span<const onnx::NodeId>()
                                                       : named(name.substr(0, slash));
}

std::vector<onnx::NodeId> NodeNames::unnamed(std::uint32_t index) const {
  std::vector<onnx::NodeId> found;
  for (const onnx::Graph& graph : model_.graphs())
    if (index < graph.node_count && model_.node(graph.first_node + index).name().empty())
      found.push_back(graph.first_node + index);
  return found;
}

}  // namespace thence::profile
