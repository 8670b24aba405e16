#include "query/sql_nodes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/format.h"
#include "base/text.h"
#include "query/limits.h"
#include "query/selector.h"

namespace thence::query {
namespace {

using onnx::NodeId;

constexpr const char* column_hint =
    "SELECT id FROM nodes WHERE ...; with other tables, write nodes.id AS node";

Error node_error(std::string text) { return {ErrorKind::usage, "Q003", std::move(text), column_hint}; }

std::optional<std::size_t> find_result_column(const SqlResult& result, std::string_view name) {
  const auto found = std::find(result.columns.begin(), result.columns.end(), name);
  if (found == result.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - result.columns.begin());
}

Result<std::vector<NodeId>> nodes_by_number(const SqlResult& result, std::size_t column,
                                            const onnx::Model& model) {
  std::vector<NodeId> nodes;
  for (const std::vector<SqlValue>& row : result.rows) {
    if (std::holds_alternative<std::monostate>(row[column])) continue;
    const auto* const number = std::get_if<std::int64_t>(&row[column]);
    if (number == nullptr || *number < 0 || *number >= static_cast<std::int64_t>(model.node_count()))
      return node_error(base::format("the column '{}' has a value that is not the number of a node",
                                     result.columns[column]));
    nodes.push_back(static_cast<NodeId>(*number));
  }
  return nodes;
}

Result<std::vector<NodeId>> nodes_by_name(const SqlResult& result, std::size_t column,
                                          const onnx::Model& model) {
  std::unordered_map<std::string_view, bool> is_found;
  for (const std::vector<SqlValue>& row : result.rows)
    if (const auto* const name = std::get_if<std::string>(&row[column])) is_found[*name] = false;
  std::vector<NodeId> nodes;
  for (NodeId id = 0; id < model.node_count(); ++id)
    if (const auto wanted = is_found.find(model.node(id).name()); wanted != is_found.end()) {
      wanted->second = true;
      nodes.push_back(id);
    }
  for (const auto& [name, found] : is_found)
    if (!found)
      return node_error(
          base::format("no node has the name '{}'", base::printable(name.substr(0, max_shown_bytes))));
  return nodes;
}

}  // namespace

Result<std::vector<NodeId>> nodes_in(const SqlResult& result, const SqlQuery& statement,
                                     const onnx::Model& model) {
  const auto reads_other_ids = [&] {
    return statement.reads("modules.id") || statement.reads("initializers.id") ||
           statement.reads("values.id");
  };
  Result<std::vector<NodeId>> nodes = node_error("the result has no column that names nodes");
  if (const auto node = find_result_column(result, "node"))
    nodes = nodes_by_number(result, *node, model);
  else if (const auto id = find_result_column(result, "id");
           id && statement.reads("nodes.id") && !reads_other_ids())
    nodes = nodes_by_number(result, *id, model);
  else if (const auto name = find_result_column(result, "name"); name && statement.reads("nodes.name"))
    nodes = nodes_by_name(result, *name, model);
  if (!nodes) return nodes;
  if (nodes->empty())
    return Error{ErrorKind::usage, std::string(no_match_code), "the SQL names no node",
                 "widen its WHERE; without --as, the rows are printed"};
  std::sort(nodes->begin(), nodes->end());
  nodes->erase(std::unique(nodes->begin(), nodes->end()), nodes->end());
  return nodes;
}

}  // namespace thence::query
