// thence._core.weights: the initializers of a model with their parameters, as JSON.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "failure.h"
#include "given_model.h"
#include "options.h"
#include "output/weights_formats.h"
#include "weights/trace.h"

namespace nb = nanobind;

namespace thence::python {
namespace {

std::string to_json(const semantics::Map& map, const semantics::Map* ancestor) {
  const output::WeightsAnswer answer{
      ancestor == nullptr ? weights::trace_weights(map) : weights::trace_weights(map, *ancestor),
      weights::missing_data(map.model())};
  std::string text;
  base::Writer out([&](std::string_view piece) { return text.append(piece), true; });
  output::write_weights_json(map, answer, out);
  return text;
}

nb::bytes weights_of(const std::string& path, const std::optional<nb::bytes>& bytes,
                     const std::string& ancestor_path, const std::optional<nb::bytes>& ancestor_bytes,
                     const std::string& capture, const std::string& strategy, const std::string& rules,
                     const std::string& granularity) {
  const semantics::MapOptions options = make_options(capture, strategy, std::nullopt, rules, granularity);
  const GivenModel model = given_model(path, bytes);
  const GivenModel origin = given_model(ancestor_path, ancestor_bytes);
  const bool has_ancestor = origin.is_given();
  MadeMap ancestor, map;
  std::string text;
  {
    const nb::gil_scoped_release released;
    if (has_ancestor) {
      semantics::MapOptions plain = options;  // rules apply only to the model itself
      plain.rules.clear();
      plain.granularity.reset();
      ancestor = map_model(origin, plain);
      if (*ancestor) map = map_derived(**ancestor, model, options);
    } else {
      map = map_model(model, options);
    }
    if (map && *map) text = to_json(**map, has_ancestor ? &**ancestor : nullptr);
  }
  if (has_ancestor && !*ancestor) fail(ancestor->error());
  if (!*map) fail(map->error());
  return nb::bytes(text.data(), text.size());
}

}  // namespace

void add_weights(nb::module_& module) {
  module.def("weights", &weights_of, nb::arg("path"), nb::arg("bytes").none(), nb::arg("ancestor_path"),
             nb::arg("ancestor_bytes").none(), nb::arg("capture"), nb::arg("strategy"), nb::arg("rules"),
             nb::arg("granularity"),
             "The initializers with their parameters, as the JSON of schema/weights.schema.json.");
}

}  // namespace thence::python
