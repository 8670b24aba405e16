// thence._core.profile: the times of a runtime's kernels by module, as JSON.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <iterator>
#include <string>
#include <vector>

#include "given.h"
#include "output/profile_formats.h"
#include "profile/compare.h"
#include "profile/read.h"
#include "released.h"

namespace nb = nanobind;

namespace thence::python {
namespace {

using semantics::Map;
using semantics::MapOptions;
using Files = std::vector<std::string>;

// How profiles are read, and what their rows are.
struct ProfileOptions {
  const MapOptions& map;
  const std::vector<const GivenModel*>& ancestors;  // each was made from the one before
  profile::RowOptions rows;
  bool split;
  std::size_t warmup;
};

// A profile and the maps that it refers to.
struct Side {
  std::deque<Map> maps;  // of the ancestors and the model; a map refers to the one before
  profile::JoinedProfile joined;
};

Side read_side(const GivenModel& model, const Files& files, const ProfileOptions& options) {
  Side side;
  const auto map_next = [&](const GivenModel& next, const MapOptions& how) {
    return side.maps.empty() ? next.map(how) : next.map_derived(side.maps.back(), how);
  };
  MapOptions plain = options.map;  // rules apply only to the model itself
  plain.rules.clear();
  plain.granularity.reset();
  for (const GivenModel* ancestor : options.ancestors)
    side.maps.push_back(value_of(map_next(*ancestor, plain)));
  side.maps.push_back(value_of(map_next(model, options.map)));
  const profile::ReadOptions how{.skipped_runs = options.warmup,
                                 .model_nodes = side.maps.back().model().node_count()};
  side.joined = value_of(profile::join(side.maps.back(), value_of(profile::read_profiles(files, how))));
  if (options.split)
    profile::split_by_flops(side.joined, side.maps.size() > 1 ? &*std::next(side.maps.rbegin()) : nullptr);
  return side;
}

std::string write_rows(const Side& side, const ProfileOptions& options) {
  const profile::ProfileRows rows(side.joined, options.rows);
  return written_text([&](base::Writer& out) { output::write_profile_json(rows, out); });
}

std::string write_changes(const Side& side, const Side& other, const ProfileOptions& options) {
  const profile::ProfileRows before(side.joined, options.rows), after(other.joined, options.rows);
  const profile::Comparison comparison = profile::compare(before, after);
  return written_text(
      [&](base::Writer& out) { output::write_changes_json({before, after, comparison}, out); });
}

nb::bytes profile_of(const GivenModel& model, const MapOptions& map_options, const Files& profiles,
                     const std::vector<const GivenModel*>& ancestors, const GivenModel* against_model,
                     const Files& against, const std::string& by, std::size_t depth, std::size_t top,
                     bool split, std::size_t warmup) {
  const std::optional<profile::GroupBy> group = profile::group_by_named(by);
  if (!group)
    fail({ErrorKind::usage, "U026", "by: '" + by + "' is not one of its values",
          "values: module, class, role, layer, op, provider"});
  const ProfileOptions options{
      map_options, ancestors, {.by = *group, .depth = depth, .top = top}, split, warmup};
  return to_bytes(released([&] {
    const Side side = read_side(model, profiles, options);
    if (against.empty()) return write_rows(side, options);
    return write_changes(side, read_side(against_model == nullptr ? model : *against_model, against, options),
                         options);
  }));
}

}  // namespace

void add_profile(nb::module_& module) {
  module.def("profile", &profile_of, nb::arg("model"), nb::arg("options"), nb::arg("profiles"),
             nb::arg("ancestors"), nb::arg("against_model").none(), nb::arg("against"), nb::arg("by"),
             nb::arg("depth"), nb::arg("top"), nb::arg("split"), nb::arg("warmup"),
             "Times by module, as the JSON of schema/profile.schema.json; with `against`, that of "
             "schema/profile_changes.schema.json.");
}

}  // namespace thence::python
