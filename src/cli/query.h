// The flags of `thence query`.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "query/selector.h"

namespace thence::cli {

struct QueryFlags : ModelFlags {
  query::Selectors selectors;
  double min_confidence = 0;
  std::string sql;
  std::size_t timeout = 60, memory = 2048;
  std::string format = "table";
  std::vector<std::string> columns;
  std::string as;
  std::string precision = "fp32";
};

/// --sql: prints the resulting rows in one of the formats, or the nodes that they name with --as.
int run_sql(const QueryFlags& flags);

/// --as: prints the nodes in the format of another tool.
int write_tool_list(const QueryFlags& flags, const semantics::Map& map,
                    const std::vector<onnx::NodeId>& nodes);
/// Prints the number of nodes found, unless --quiet is given.
void print_node_count(const QueryFlags& flags, std::size_t count, const semantics::Map& map);
/// Prints the error and returns its exit code. A selector without matches has its own, because the model may
/// be the cause.
int fail_query(const Error& error);

}  // namespace thence::cli
