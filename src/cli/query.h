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

/// --sql: prints the resulting rows in one of the formats.
int run_sql(const QueryFlags& flags);

}  // namespace thence::cli
