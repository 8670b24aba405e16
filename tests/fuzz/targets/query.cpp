// Runs queries on a small map. An input has one selector per line: a letter that names its kind, then its
// text.
#include "../fuzz.h"
#include "../small_model.h"
#include "base/text.h"
#include "query/find_node.h"
#include "query/selector.h"
#include "query/sql.h"
#include "query/tool_lists.h"

namespace thence::fuzz {
namespace {

constexpr std::size_t most_selectors = 32;

void add_selector(std::string_view line, query::Selectors& wanted) {
  if (line.empty()) return;
  const std::string text(line.substr(1));
  switch (line.front()) {
    case 'm': wanted.modules.push_back(text); break;
    case 'u': wanted.under.push_back(text); break;
    case 'c': wanted.classes.push_back(text); break;
    case 'r': wanted.roles.push_back(text); break;
    case 'k': wanted.components.push_back(text); break;
    case 'l': wanted.layers.push_back(text); break;
    case 'o': wanted.ops.push_back(text); break;
    case 'p': wanted.parameters.push_back(text); break;
    case 's': wanted.sources.push_back(text); break;
    case 'w': wanted.where = text; break;
    case 'S': wanted.shared = true; break;
    case 'E': wanted.exact = true; break;
    case 'U': wanted.unknown = true; break;
    default: break;
  }
}

void write_lists(const std::vector<onnx::NodeId>& nodes) {
  for (const std::string_view name : query::tool_list_names()) {
    Result<query::ToolList> list = query::tool_list(name, small_map().model(), nodes, {});
    if (const query::ToolList* found = value_of(list)) require_printable(found->text, name);
  }
}

void select_nodes(const query::Selectors& wanted) {
  Result<query::Selector> made = query::Selector::make(wanted);
  const query::Selector* selector = value_of(made);
  if (selector == nullptr) return;
  Result<std::vector<onnx::NodeId>> nodes = selector->run(small_map());
  if (const auto* found = value_of(nodes)) {
    require(!found->empty(), "a query without result is an error");
    write_lists(*found);
  }
}

void run_sql(const std::string& text) {
  Result<query::SqlQuery> made = query::SqlQuery::make(text, {.seconds = 1, .bytes = 64 << 20});
  query::SqlQuery* statement = value_of(made);
  if (statement == nullptr) return;
  Result<query::SqlResult> result = statement->run(small_map());
  if (const query::SqlResult* found = value_of(result))
    for (const auto& row : found->rows) require(row.size() == found->columns.size(), "rows are complete");
}

void run_queries(std::string_view input) {
  if (input.starts_with("q")) return run_sql(std::string(input.substr(1)));
  query::Selectors wanted;
  std::vector<std::string_view> lines = base::split(input, '\n');
  if (lines.size() > most_selectors) lines.resize(most_selectors);
  for (const std::string_view line : lines) {
    add_selector(line, wanted);
    if (!line.starts_with("n")) continue;
    Result<std::vector<onnx::NodeId>> nodes =
        query::find_node(small_map().model(), std::string(line.substr(1)));
    (void)value_of(nodes);
  }
  if (!wanted.empty()) select_nodes(wanted);
}

const Registration query_target({"query", run_queries, {Part::text}});

}  // namespace
}  // namespace thence::fuzz
