// thence query --sql.
#include <unistd.h>

#include <csignal>

#include "base/format.h"
#include "cli/query.h"
#include "output/rows.h"
#include "query/sql.h"
#include "query/sql_nodes.h"

namespace thence::cli {
namespace {

output::Cell cell_of(query::SqlValue& value) {
  return std::visit([](auto& one) -> output::Cell { return std::move(one); }, value);
}

std::string& overdue_message() {
  static std::string message;
  return message;
}

void on_alarm(int) {
  const std::string& text = overdue_message();
  [[maybe_unused]] const ssize_t put = write(STDERR_FILENO, text.data(), text.size());
  _exit(static_cast<int>(ErrorKind::bad_input));
}

// SQLite checks the time between its instructions, and one call of a function such as printf() or instr() can
// take hours. No output is begun before the answer is complete, so the program can end at any time.
void end_after(std::size_t seconds) {
  constexpr std::size_t grace_seconds = 1;
  overdue_message() = base::format(
      "error[Q005]: SQL took longer than {} s\n  help: ask for less, or give a longer --timeout\n", seconds);
  std::signal(SIGALRM, on_alarm);
  alarm(static_cast<unsigned>(seconds + grace_seconds));
}

int write_nodes_of_rows(const QueryFlags& flags, const semantics::Map& map, const query::SqlQuery& statement,
                        const query::SqlResult& rows) {
  const Result<std::vector<onnx::NodeId>> nodes = query::nodes_in(rows, statement, map.model());
  if (!nodes) return fail_query(nodes.error());
  const int code = write_tool_list(flags, map, *nodes);
  if (code == done) print_node_count(flags, nodes->size(), map);
  return code;
}

}  // namespace

int run_sql(const QueryFlags& flags) {
  query::use_sqlite_on_one_thread();
  query::SqlLimits limits{.seconds = static_cast<double>(flags.timeout),
                          .bytes = std::uint64_t{flags.memory} << 20};
  if (flags.timeout > 0) limits.on_start = [seconds = flags.timeout] { end_after(seconds); };
  Result<query::SqlQuery> statement = query::SqlQuery::make(flags.sql, limits);
  if (!statement) return fail(statement.error());
  ModelFlags model = flags;
  const OpenedMap opened = open_map(model);
  if (opened.map == nullptr) return opened.exit_code;
  Result<query::SqlResult> answer = statement->run(*opened.map);
  alarm(0);
  if (!answer) return fail(answer.error());
  if (!flags.as.empty()) return write_nodes_of_rows(flags, *opened.map, *statement, *answer);
  output::Rows rows{.schema = "thence.sql/1", .list = "rows", .columns = {}};
  for (const std::string& column : answer->columns) rows.columns.emplace_back(column);
  rows.cells.reserve(answer->rows.size());
  for (std::vector<query::SqlValue>& row : answer->rows) {
    std::vector<output::Cell>& cells = rows.cells.emplace_back();
    cells.reserve(row.size());
    for (query::SqlValue& value : row) cells.push_back(cell_of(value));
    row = {};
  }
  return write_output(
      flags, [&](base::Writer& out) { output::write_rows(rows, flags.format, table_width(flags), out); });
}

}  // namespace thence::cli
