// thence query --as, and what --sql and selectors print besides.
#include "base/format.h"
#include "cli/query.h"
#include "query/tool_lists.h"

namespace thence::cli {

int fail_query(const Error& error) {
  if (error.code != query::no_match_code) return fail(error);
  print_error(error);
  return nothing_found;
}

void print_node_count(const QueryFlags& flags, std::size_t count, const semantics::Map& map) {
  if (!flags.quiet)
    std::fputs(base::format("{} of {} nodes\n", count, map.model().node_count()).c_str(), stderr);
}

int write_tool_list(const QueryFlags& flags, const semantics::Map& map,
                    const std::vector<onnx::NodeId>& nodes) {
  const Result<query::ToolList> list =
      query::tool_list(flags.as, map.model(), nodes, {.precision = flags.precision});
  if (!list) return fail_query(list.error());
  if (!flags.quiet)
    for (const Diagnostic& diagnostic : list->diagnostics)
      std::fputs(base::format("warning[{}]: {}\n", diagnostic.code, diagnostic.text).c_str(), stderr);
  return write_output(flags, [&](base::Writer& out) { out.add(list->text); });
}

}  // namespace thence::cli
