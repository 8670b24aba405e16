// thence._core.profile: the times of a runtime's kernels by module, as JSON.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "failure.h"
#include "given_model.h"
#include "options.h"
#include "output/profile_formats.h"
#include "profile/compare.h"
#include "profile/read.h"

namespace nb = nanobind;

namespace thence::python {
namespace {

using Files = std::vector<std::string>;

// A profile with its model. The map is that of the model, which the joined profile refers to.
struct Side {
  MadeMap ancestor, map;
  std::optional<Result<profile::JoinedProfile>> joined;

  const Error* error() const {
    if (ancestor && !*ancestor) return &ancestor->error();
    if (map && !*map) return &map->error();
    return joined && !*joined ? &joined->error() : nullptr;
  }
};

Side read_side(const GivenModel& model, const GivenModel& ancestor, const Files& files,
               const semantics::MapOptions& options, std::size_t warmup, bool split) {
  Side side;
  if (ancestor.is_given()) {
    semantics::MapOptions plain = options;  // rules apply only to the model itself
    plain.rules.clear();
    plain.granularity.reset();
    side.ancestor = map_model(ancestor, plain);
    if (*side.ancestor) side.map = map_derived(**side.ancestor, model, options);
  } else {
    side.map = map_model(model, options);
  }
  if (side.error() != nullptr) return side;
  const semantics::Map& map = **side.map;
  Result<profile::Recording> recording =
      profile::read_profiles(files, {.skipped_runs = warmup, .model_nodes = map.model().node_count()});
  if (!recording) {
    side.joined = recording.error();
    return side;
  }
  side.joined = profile::join(map, *std::move(recording));
  if (split && *side.joined)
    profile::split_by_flops(**side.joined, side.ancestor ? &**side.ancestor : nullptr);
  return side;
}

std::string to_json(const Side& side, const Side& other, const profile::RowOptions& options) {
  std::string text;
  base::Writer out([&](std::string_view piece) { return text.append(piece), true; });
  const profile::ProfileRows rows(**side.joined, options);
  if (!other.joined) {
    output::write_profile_json(rows, out);
    return text;
  }
  const profile::ProfileRows after(**other.joined, options);
  const profile::Comparison comparison = profile::compare(rows, after);
  output::write_changes_json({rows, after, comparison}, out);
  return text;
}

nb::bytes profile_of(const std::string& path, const std::optional<nb::bytes>& bytes, const Files& profiles,
                     const std::string& ancestor_path, const std::optional<nb::bytes>& ancestor_bytes,
                     const std::string& against_path, const std::optional<nb::bytes>& against_bytes,
                     const Files& against, const std::string& capture, const std::string& strategy,
                     const std::string& rules, const std::string& granularity, const std::string& by,
                     std::size_t depth, std::size_t top, bool split, std::size_t warmup) {
  const semantics::MapOptions options = make_options(capture, strategy, std::nullopt, rules, granularity);
  const GivenModel model = given_model(path, bytes);
  const GivenModel ancestor = given_model(ancestor_path, ancestor_bytes);
  const GivenModel against_model = given_model(against_path, against_bytes);
  const std::optional<profile::GroupBy> group = profile::group_by_named(by);
  if (!group)
    fail({ErrorKind::usage, "U026", "by: '" + by + "' is not one of its values",
          "values: module, class, role, layer, op, provider"});
  Side side, other;
  std::string text;
  {
    const nb::gil_scoped_release released;
    side = read_side(model, ancestor, profiles, options, warmup, split);
    if (side.error() == nullptr && !against.empty())
      other = read_side(against_model.is_given() ? against_model : model, ancestor, against, options, warmup,
                        split);
    if (side.error() == nullptr && other.error() == nullptr)
      text = to_json(side, other, {.by = *group, .depth = depth, .top = top});
  }
  if (side.error() != nullptr) fail(*side.error());
  if (other.error() != nullptr) fail(*other.error());
  return nb::bytes(text.data(), text.size());
}

}  // namespace

void add_profile(nb::module_& module) {
  module.def("profile", &profile_of, nb::arg("path"), nb::arg("bytes").none(), nb::arg("profiles"),
             nb::arg("ancestor_path"), nb::arg("ancestor_bytes").none(), nb::arg("against_path"),
             nb::arg("against_bytes").none(), nb::arg("against"), nb::arg("capture"), nb::arg("strategy"),
             nb::arg("rules"), nb::arg("granularity"), nb::arg("by"), nb::arg("depth"), nb::arg("top"),
             nb::arg("split"), nb::arg("warmup"),
             "Times by module, as the JSON of schema/profile.schema.json; with `against`, that of "
             "schema/profile_changes.schema.json.");
}

}  // namespace thence::python
