// What the lists for other tools have in common: names of nodes, and their JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "query/tool_lists.h"

namespace thence::query {

using Names = std::vector<std::string_view>;

/// Adds a diagnostic about nodes that the list cannot represent.
void warn(ToolList& list, std::string code, std::string text);
/// Adds the diagnostic about nodes without a name, if there are any.
void warn_of_omitted(ToolList& list, std::size_t omitted);
/// The error for a list that would be empty.
Error no_list(std::string text, std::string hint);
Error no_names_error();

/// Writes one name per line, so that two lists are easy to compare.
void write_names(const Names& names, base::JsonWriter& json);
/// The same as the whole text of a list.
void write_list(const Names& names, ToolList& list);

/// The distinct names of the nodes. Nodes that a name cannot identify are reported.
Names names_of(const onnx::Model& model, std::span<const onnx::NodeId> nodes, ToolList& list);

}  // namespace thence::query
