// thence._core.Questions: a model's map, kept to be asked by selectors and SQL.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/utf8.h"
#include "failure.h"
#include "given.h"
#include "output/formats.h"
#include "query/selector.h"
#include "query/sql.h"
#include "query/sql_nodes.h"
#include "query/tool_lists.h"
#include "released.h"

namespace nb = nanobind;

namespace thence::python {
namespace {

using Texts = std::vector<std::string>;

class Questions {
 public:
  Questions(const GivenModel& model, const semantics::MapOptions& options) {
    map_ = std::make_unique<semantics::Map>(released([&] { return value_of(model.map(options)); }));
  }

  /// The module of every node, to compare with a map that was made elsewhere.
  nb::list modules() const {
    nb::list found;
    for (onnx::NodeId id = 0; id < map_->model().node_count(); ++id) {
      const modules::ModuleId module = map_->answer(id).module;
      if (module == modules::no_module)
        found.append(nb::none());
      else
        found.append(to_python_text(map_->tree()[module].path));
    }
    return found;
  }

  /// The rows of nodes, as the JSON of schema/query.schema.json.
  nb::bytes rows(const std::vector<onnx::NodeId>& nodes) const {
    return to_bytes(released([&] {
      const std::lock_guard lock(mutex_);
      return written_text(
          [&](base::Writer& out) { output::write_query_json(*map_, output::Nodes(nodes), 1, out); });
    }));
  }

  std::vector<onnx::NodeId> select(const Texts& modules, const Texts& under, const Texts& classes,
                                   const Texts& roles, const Texts& components, const Texts& layers,
                                   const Texts& ops, const Texts& parameters, const Texts& sources,
                                   double min_confidence, bool unknown, bool shared, bool exact,
                                   const std::string& where) const {
    const Result<query::Selector> selector =
        query::Selector::make({modules, under, classes, roles, components, layers, ops, parameters, sources,
                               min_confidence, unknown, shared, exact, where});
    if (!selector) fail(selector.error());
    return released([&] {
      const std::lock_guard lock(mutex_);
      Result<std::vector<onnx::NodeId>> nodes = selector->run(*map_);
      if (!nodes) fail_query(nodes.error());
      return *std::move(nodes);
    });
  }

  /// The nodes that the rows of an SQL statement name.
  std::vector<onnx::NodeId> sql_nodes(const std::string& text, double seconds, std::uint64_t bytes) const {
    return released([&] {
      const std::lock_guard lock(mutex_);
      query::SqlQuery statement = value_of(query::SqlQuery::make(text, {seconds, bytes}));
      const query::SqlResult rows = value_of(statement.run(*map_));
      Result<std::vector<onnx::NodeId>> nodes = query::nodes_in(rows, statement, map_->model());
      if (!nodes) fail_query(nodes.error());
      return *std::move(nodes);
    });
  }

  /// The text, and what it could not say: (code, text).
  nb::tuple tool_list(const std::string& name, const std::vector<onnx::NodeId>& nodes,
                      const std::string& precision) const {
    const Result<query::ToolList> list =
        query::tool_list(name, map_->model(), nodes, {.precision = precision});
    if (!list) fail_query(list.error());
    nb::list warnings;
    for (const Diagnostic& diagnostic : list->diagnostics)
      warnings.append(nb::make_tuple(diagnostic.code, diagnostic.text));
    return nb::make_tuple(list->text, warnings);
  }

  /// The names of the columns, and the rows as tuples.
  nb::tuple sql(const std::string& text, double seconds, std::uint64_t bytes) const {
    const query::SqlResult answer = released([&] {
      const std::lock_guard lock(mutex_);
      return value_of(value_of(query::SqlQuery::make(text, {seconds, bytes})).run(*map_));
    });
    nb::list rows;
    for (const std::vector<query::SqlValue>& row : answer.rows) {
      nb::list cells;
      for (const query::SqlValue& value : row) cells.append(std::visit(to_python, value));
      rows.append(nb::tuple(cells));
    }
    return nb::make_tuple(answer.columns, rows);
  }

 private:
  // A selector without matches has its own kind, as in the program.
  [[noreturn]] static void fail_query(const Error& error) {
    if (error.code == query::no_match_code) throw Failure{error, nothing_found};
    fail(error);
  }
  // Spelled as the map's JSON spells it.
  static nb::object to_python_text(std::string_view text) {
    return nb::cast(base::is_utf8(text) ? std::string(text) : base::escape_invalid_utf8(text));
  }
  static constexpr auto to_python = [](const auto& one) -> nb::object {
    if constexpr (std::is_same_v<std::decay_t<decltype(one)>, std::monostate>)
      return nb::none();
    else
      return nb::cast(one);
  };

  std::unique_ptr<semantics::Map> map_;
  mutable std::mutex mutex_;  // a map is not for several threads at once
};

}  // namespace

void add_questions(nb::module_& module) {
  nb::class_<Questions>(module, "Questions", "A map, kept to be asked by selectors and SQL.")
      .def(nb::init<const GivenModel&, const semantics::MapOptions&>(), nb::arg("model"), nb::arg("options"),
           nb::keep_alive<1, 2>())  // the map points into the bytes of the model
      .def("modules", &Questions::modules)
      .def("rows", &Questions::rows, nb::arg("nodes"))
      .def("select", &Questions::select, nb::arg("modules"), nb::arg("under"), nb::arg("classes"),
           nb::arg("roles"), nb::arg("components"), nb::arg("layers"), nb::arg("ops"), nb::arg("parameters"),
           nb::arg("sources"), nb::arg("min_confidence"), nb::arg("unknown"), nb::arg("shared"),
           nb::arg("exact"), nb::arg("where"))
      .def("tool_list", &Questions::tool_list, nb::arg("name"), nb::arg("nodes"), nb::arg("precision"))
      .def("sql", &Questions::sql, nb::arg("text"), nb::arg("seconds"), nb::arg("bytes"))
      .def("sql_nodes", &Questions::sql_nodes, nb::arg("text"), nb::arg("seconds"), nb::arg("bytes"));
}

}  // namespace thence::python
