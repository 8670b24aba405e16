// thence._core.map, show, explain, weights: answers about one model, as JSON.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/strategies.h"
#include "given.h"
#include "output/formats.h"
#include "output/tree_options.h"
#include "output/tree_rows.h"
#include "output/weights_formats.h"
#include "query/find_node.h"
#include "released.h"
#include "weights/trace.h"

#include <nanobind/stl/map.h>

namespace nb = nanobind;

namespace thence::python {
namespace {

using semantics::MapOptions;

nb::bytes map_model(const GivenModel& model, const MapOptions& options) {
  return to_bytes(released([&] {
    const semantics::Map map = value_of(model.map(options));
    return written_text([&](base::Writer& out) { output::write_map_json(map, 1, out); });
  }));
}

// The document, and the table that the program prints.
nb::tuple compare_strategies(const GivenModel& model, const MapOptions& options) {
  std::string document, table;
  released([&] {
    const std::vector<api::StrategyResult> results =
        value_of(api::compare_strategies(options, [&](const MapOptions& one) { return model.map(one); }));
    document = written_text([&](base::Writer& out) { api::write_strategies(results, "json", out); });
    table = written_text([&](base::Writer& out) { api::write_strategies(results, "table", out); });
  });
  return nb::make_tuple(to_bytes(document), to_bytes(table));
}

// The document, and the table that the program prints.
nb::tuple show(const GivenModel& model, const MapOptions& options, std::size_t depth, bool execution_order,
               const std::string& sort, const std::map<std::string, std::int64_t>& sizes) {
  std::string document, table;
  released([&] {
    output::TreeOptions how{.depth = depth, .execution_order = execution_order};
    how.sort = output::measure_named(sort).value_or(output::Measure::none);
    for (const auto& [name, size] : sizes) how.sizes.insert_or_assign(name, size);
    const semantics::Map map = value_of(model.map(options));
    const output::Tree tree = output::make_tree(map, how);
    if (const std::optional<Error> error = output::find_unknown_size(tree)) fail(*error);
    document = written_text([&](base::Writer& out) { output::write_tree_json(map, tree, out); });
    table = written_text([&](base::Writer& out) { output::write_tree_table(map, tree, how, out); });
  });
  return nb::make_tuple(to_bytes(document), to_bytes(table));
}

// For each node with the name: the document, and the text that the program prints.
nb::list explain(const GivenModel& model, const MapOptions& options, const std::string& node) {
  std::vector<std::pair<std::string, std::string>> found;
  released([&] {
    const semantics::Map map = value_of(model.map(options));
    const Result<std::vector<onnx::NodeId>> nodes = query::find_node(map.model(), node);
    if (!nodes) throw Failure{nodes.error(), nothing_found};
    const shapes::InferredShapes inferred = shapes::infer(map.model());
    const dataflow::Uses uses(map.model());
    for (const onnx::NodeId id : *nodes)
      found.emplace_back(written_text([&](base::Writer& out) {
                           output::write_explanation_json(map, inferred, uses, id, out);
                         }),
                         written_text([&](base::Writer& out) {
                           output::write_explanation(map, inferred, uses, id, false, out);
                         }));
  });
  nb::list explanations;
  for (const auto& [document, text] : found)
    explanations.append(nb::make_tuple(to_bytes(document), to_bytes(text)));
  return explanations;
}

std::string weights_json(const semantics::Map& map, const std::vector<weights::Weight>& traced) {
  const output::WeightsAnswer answer{traced, weights::missing_data(map.model())};
  return written_text([&](base::Writer& out) { output::write_weights_json(map, answer, out); });
}

nb::bytes trace_weights(const GivenModel& model, const MapOptions& options, const GivenModel* ancestor) {
  return to_bytes(released([&] {
    if (ancestor == nullptr) {
      const semantics::Map map = value_of(model.map(options));
      return weights_json(map, weights::trace_weights(map));
    }
    MapOptions plain = options;  // rules apply only to the model itself
    plain.rules.clear();
    plain.granularity.reset();
    const semantics::Map origin = value_of(ancestor->map(plain));
    const semantics::Map map = value_of(model.map_derived(origin, options));
    return weights_json(map, weights::trace_weights(map, origin));
  }));
}

}  // namespace

void add_answers(nb::module_& module) {
  module.def("map", &map_model, nb::arg("model"), nb::arg("options"),
             "The map of a model, as the JSON of schema/map.schema.json.");
  module.def("compare_strategies", &compare_strategies, nb::arg("model"), nb::arg("options"),
             "All strategies on a model, as the JSON of schema/strategies.schema.json, and as a table.");
  module.def("show", &show, nb::arg("model"), nb::arg("options"), nb::arg("depth"),
             nb::arg("execution_order"), nb::arg("sort"), nb::arg("sizes"),
             "The module tree as the JSON of schema/tree.schema.json, and as a table.");
  module.def("explain", &explain, nb::arg("model"), nb::arg("options"), nb::arg("node"),
             "For each node of the name, the JSON of schema/explanation.schema.json, and text.");
  module.def("weights", &trace_weights, nb::arg("model"), nb::arg("options"), nb::arg("ancestor").none(),
             "The initializers with their parameters, as the JSON of schema/weights.schema.json.");
}

}  // namespace thence::python
