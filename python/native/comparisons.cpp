// thence._core.transfer, match_tensors, diff, check, survival, score: answers about a model and another file.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "api/check_rows.h"
#include "api/verification.h"
#include "base/atomic_file.h"
#include "base/brief.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "diff/diff.h"
#include "edit/tag.h"
#include "given.h"
#include "onnx/errors.h"
#include "output/diff_formats.h"
#include "output/formats.h"
#include "released.h"
#include "score/score.h"
#include "score/truth.h"
#include "weights/traced_chain.h"

namespace nb = nanobind;

namespace thence::python {
namespace {

using semantics::Map;
using semantics::MapOptions;

// Writes the map beside the tagged model, as the program does.
void write_model_and_map(const Map& map, const weights::TracedChain& weights, const std::string& map_json,
                         const std::string& output, const std::string& capture) {
  edit::TagOptions options;
  options.weights = {weights.live_parameters, weights.named};
  const wire::Splice splice =
      edit::tag_model(map, value_of(edit::complete_tag_options(std::move(options), map, capture)));
  const auto write_model = [&](base::Writer& out) { splice.write(out); };
  const auto write_map = [&](base::Writer& out) { out.add(map_json); };
  const std::optional<Error> error =
      base::is_pipe_or_device(output)
          ? base::write_atomically(output, write_model)
          : base::write_together(
                {{output + ".map.json", write_map, base::SymlinkPolicy::replace}, {output, write_model}});
  if (error) fail(*error);
}

// Calls Python with the tensors of each claim, by name. Python answers with text; None: it keeps the error.
transfer::Verifier python_verifier(const nb::object& verify) {
  using transfer::Claim;
  const auto names = [](const onnx::Model& model, const std::vector<onnx::ValueId>& values) {
    std::vector<std::string> found;
    for (const onnx::ValueId value : values) found.emplace_back(model.value_name(value));
    return found;
  };
  return [&verify, names](const std::vector<Claim>& claims, const onnx::Model& ancestor,
                          const onnx::Model& descendant) -> Result<evidence::Verification> {
    std::optional<std::string> answer;
    {
      const nb::gil_scoped_acquire acquired;
      nb::list pairs;
      for (const Claim& claim : claims)
        pairs.append(nb::make_tuple(names(descendant, claim.ours), names(ancestor, claim.theirs)));
      const nb::object found = verify(pairs);
      if (!found.is_none()) answer = nb::cast<std::string>(found);
    }
    if (!answer) return Error{ErrorKind::input_output, "F005", "the models were not run", ""};
    return api::read_verification(*answer, claims, ancestor, descendant);
  };
}

// Each model is the ancestor of the next. The map of the last one; with `output`, it is also written.
nb::bytes transfer_map(const std::vector<const GivenModel*>& models, const MapOptions& options,
                       const std::string& output, const nb::object& verify) {
  const transfer::Verifier verifier = verify.is_none() ? transfer::Verifier() : python_verifier(verify);
  return to_bytes(released([&] {
    MapOptions plain = options;  // rules apply only to the last model
    plain.rules.clear();
    plain.granularity.reset();
    std::deque<Map> maps;  // each refers to the one before it
    weights::TracedChain weights;
    maps.push_back(value_of(models.front()->map(plain)));
    weights.begin(maps.back());
    for (std::size_t i = 1; i < models.size(); ++i) {
      const MapOptions& step = i + 1 == models.size() ? options : plain;
      maps.push_back(value_of(models[i]->map_derived(maps.back(), step, verifier)));
      weights.advance(maps[i - 1], maps[i]);
    }
    std::string json =
        written_text([&](base::Writer& out) { output::write_map_json(maps.back(), 1, out, &weights.named); });
    if (!output.empty()) write_model_and_map(maps.back(), weights, json, output, options.capture);
    return json;
  }));
}

// The matched tensors, as a list of pairs: their names in the derived model, and in the ancestor.
std::string claims_json(const std::vector<transfer::Claim>& claims, const onnx::Model& ancestor,
                        const onnx::Model& derived) {
  std::string text;
  base::JsonWriter json(text);
  const auto write_names = [&](const onnx::Model& model, const std::vector<onnx::ValueId>& values) {
    json.begin_array();
    for (const onnx::ValueId value : values) json.value(model.value_name(value));
    json.end_array();
  };
  json.begin_array();
  for (const transfer::Claim& claim : claims) {
    json.begin_array();
    write_names(derived, claim.ours);
    write_names(ancestor, claim.theirs);
    json.end_array();
  }
  json.end_array();
  return text;
}

// The maps of both models, and their matched tensors.
nb::tuple match_tensors(const GivenModel& ancestor, const GivenModel& model, const MapOptions& options) {
  std::string theirs, ours, claims;
  released([&] {
    const transfer::Verifier keep_claims = [&](const std::vector<transfer::Claim>& found,
                                               const onnx::Model& before,
                                               const onnx::Model& after) -> Result<evidence::Verification> {
      claims = claims_json(found, before, after);
      return evidence::Verification{};  // refutes nothing
    };
    const Map before = value_of(ancestor.map(options));
    const Map after = value_of(model.map_derived(before, options, keep_claims));
    theirs = written_text([&](base::Writer& out) { output::write_map_json(before, 1, out); });
    ours = written_text([&](base::Writer& out) { output::write_map_json(after, 1, out); });
  });
  return nb::make_tuple(to_bytes(theirs), to_bytes(ours), to_bytes(claims));
}

std::vector<diff::DiffKind> read_kinds(const std::vector<std::string>& names) {
  std::vector<diff::DiffKind> kinds;
  for (const std::string& name : names) {
    const std::optional<diff::DiffKind> kind = diff::diff_kind_of(name);
    if (!kind) fail(diff::unknown_kind(name));
    kinds.push_back(*kind);
  }
  return kinds;
}

// The document, and the table that the program prints.
nb::tuple compare(const GivenModel& a, const GivenModel& b, const MapOptions& options_a,
                  const MapOptions& options_b, const std::vector<std::string>& ignored, bool stat,
                  std::optional<std::size_t> depth) {
  std::string document, table;
  released([&] {
    const std::vector<diff::DiffKind> kinds = read_kinds(ignored);
    const Map before = value_of(a.map(options_a)), after = value_of(b.map(options_b));
    for (const Map* const map : {&before, &after})
      if (const std::optional<Error> error = onnx::invalid_external_data(map->model())) fail(*error);
    const diff::StatOptions how{depth};
    const diff::Report report = diff::compare(before, after, kinds, stat ? &how : nullptr);
    const output::Comparison comparison{before, after, report};
    const auto write = [&](std::string_view format, base::Writer& out) {
      if (stat)
        output::write_diff_stat(comparison, {format, 0, depth}, out);
      else if (format == "json")
        output::write_diff_json(comparison, out);
      else
        output::write_diff_table(comparison, 0, out);
    };
    document = written_text([&](base::Writer& out) { write("json", out); });
    table = written_text([&](base::Writer& out) { write("table", out); });
  });
  return nb::make_tuple(to_bytes(document), to_bytes(table));
}

nb::bytes check_tags(const GivenModel& model, const MapOptions& options) {
  return to_bytes(released([&] {
    const Map map = value_of(model.map(options));
    const output::Rows rows = api::tag_rows(map, edit::check_tags(map));
    return written_text([&](base::Writer& out) { output::write_rows(rows, "json", 0, out); });
  }));
}

nb::bytes count_survivors(const std::vector<const GivenModel*>& models, const GivenModel& against) {
  return to_bytes(released([&] {
    const onnx::Model before = value_of(against.open_flat());
    output::Rows rows = api::survival_rows(against.label());
    std::size_t ids = 0;
    for (const GivenModel* const model : models) {
      const edit::Survival found = edit::count_survivors(before, value_of(model->open_flat()));
      ids = found.ids;
      api::add_survival(model->label(), found, rows);
    }
    if (ids == 0) fail(api::no_ids(against.label()));
    return written_text([&](base::Writer& out) { output::write_rows(rows, "json", 0, out); });
  }));
}

// The document, and the table that the program prints.
nb::tuple score_map(const GivenModel& model, const MapOptions& options, const std::string& truth_file,
                    const GivenModel* ancestor) {
  std::string document, table;
  released([&] {
    const score::Truth truth = value_of(score::open_truth(truth_file));
    std::optional<Map> origin;
    if (ancestor != nullptr) origin.emplace(value_of(ancestor->map(options)));
    const Map map = value_of(origin ? model.map_derived(*origin, options) : model.map(options));
    if (!map.hierarchy().tags().empty()) fail(api::tags_would_be_scored(map.model().file()));
    const score::Score found = value_of(score::score(map, truth, truth_file));
    document = written_text([&](base::Writer& out) {
      output::write_score_json(found, map.model().file(), map.strategy().name, out);
    });
    table = written_text([&](base::Writer& out) { output::write_score_table(found, out); });
  });
  return nb::make_tuple(to_bytes(document), to_bytes(table));
}

}  // namespace

void add_comparisons(nb::module_& module) {
  module.def("transfer", &transfer_map, nb::arg("models"), nb::arg("options"), nb::arg("output"),
             nb::arg("verify").none(), "The map of the last model, from that of the first one, as JSON.");
  module.def("match_tensors", &match_tensors, nb::arg("ancestor"), nb::arg("model"), nb::arg("options"),
             "The maps of both models, and the names of matched tensors (ours, theirs), as JSON.");
  module.def(
      "diff", &compare, nb::arg("a"), nb::arg("b"), nb::arg("options_a"), nb::arg("options_b"),
      nb::arg("ignored"), nb::arg("stat"), nb::arg("depth").none(),
      "The JSON of schema/diff.schema.json or, with `stat`, of schema/diff-stat.schema.json; and a table.");
  module.def("check", &check_tags, nb::arg("model"), nb::arg("options"),
             "The tags that do not fit, as JSON.");
  module.def("survival", &count_survivors, nb::arg("models"), nb::arg("against"),
             "What happened to the ids of a file in others, as JSON.");
  module.def("score", &score_map, nb::arg("model"), nb::arg("options"), nb::arg("truth"),
             nb::arg("ancestor").none(), "The JSON of schema/score.schema.json, and a table.");
}

}  // namespace thence::python
