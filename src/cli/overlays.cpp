#include "cli/overlays.h"

#include "cli/derived.h"
#include "onnx/errors.h"
#include "pipeline/pipeline.h"

namespace thence::cli {
namespace {

// The maps to show, and the file that the second one is of.
struct ShownMaps {
  DerivedMap opened;
  const semantics::Map* other = nullptr;
};

ShownMaps open_maps(const ModelFlags& flags, const OverlayFlags& overlays) {
  ShownMaps maps{
      open_derived(flags, flags.model,
                   overlays.ancestor.empty() ? std::vector<std::string>{} : std::vector{overlays.ancestor})};
  maps.other = maps.opened.ancestor;
  if (overlays.diff.empty() || maps.opened.map.map == nullptr) return maps;
  semantics::MapOptions options = flags.options;
  options.capture = overlays.capture_of_diff;
  options.checkpoint.reset();
  const OpenedMap second = keep_map(flags, pipeline::map_file(overlays.diff, options));
  maps.other = second.map;
  if (second.map == nullptr) maps.opened.map = second;
  return maps;
}

// Never destroyed, like the maps: the program ends right after.
Result<const serve::Comparison*> compare(const ShownMaps& maps, serve::Relation relation) {
  const semantics::Map& shown = *maps.opened.map.map;
  const bool other_is_first = relation == serve::Relation::ancestor;
  const semantics::Map &before = other_is_first ? *maps.other : shown,
                       &after = other_is_first ? shown : *maps.other;
  for (const semantics::Map* const map : {&before, &after})
    if (const std::optional<Error> error = onnx::invalid_external_data(map->model())) return *error;
  Result<serve::Comparison> made = serve::Comparison::make(before, after, relation);
  if (!made) return made.error();
  return new serve::Comparison(*std::move(made));
}

Result<serve::Overlay> read_overlay(const ShownMaps& maps, const OverlayFlags& flags) {
  serve::Overlay overlay;
  if (!flags.profile.empty()) {
    Result<serve::Times> times = serve::read_times(*maps.opened.map.map, flags.profile);
    if (!times) return times.error();
    overlay.times = *std::move(times);
  }
  if (!flags.drift.empty()) {
    Result<serve::Drifts> drifts = serve::read_drifts(*maps.opened.map.map, flags.drift);
    if (!drifts) return drifts.error();
    overlay.drifts = *std::move(drifts);
  }
  if (maps.other == nullptr) return overlay;
  const serve::Relation relation = flags.diff.empty() ? serve::Relation::ancestor : serve::Relation::diff;
  const Result<const serve::Comparison*> comparison = compare(maps, relation);
  if (!comparison) return comparison.error();
  overlay.comparison = *comparison;
  overlay.side = relation == serve::Relation::ancestor ? serve::Side::after : serve::Side::before;
  return overlay;
}

}  // namespace

void add_overlay_flags(Command& command, OverlayFlags& flags) {
  command.section("Other files");
  command.text(
      {.name = "--ancestor",
       .help = "Model that this one was made from: its modules are carried over, and it is shown beside",
       .type = "FILE"},
      flags.ancestor);
  command.text({.name = "--diff", .help = "Show another model beside, and what differs", .type = "FILE"},
               flags.diff);
  command.text({.name = "--capture-b", .help = "Capture file of the model of --diff", .type = "FILE"},
               flags.capture_of_diff);
  command.text({.name = "--profile",
                .help = "Profile of a runtime, or the output of 'thence profile --format json': show times",
                .type = "FILE"},
               flags.profile);
  command.text({.name = "--drift",
                .help = "Output of 'thence drift --format json': show where the numbers part",
                .type = "FILE"},
               flags.drift);
}

OpenedView open_view(ModelFlags& flags, const OverlayFlags& overlays) {
  if (!overlays.ancestor.empty() && !overlays.diff.empty())
    return {.exit_code = fail({ErrorKind::usage, "V006", "--ancestor and --diff both show a second model",
                               "give one of them"})};
  if (!overlays.capture_of_diff.empty() && overlays.diff.empty())
    return {.exit_code = fail({ErrorKind::usage, "V009", "--capture-b is the capture of the model of --diff",
                               "give the capture of the model with --capture"})};
  flags.more_inputs = {overlays.ancestor, overlays.diff, overlays.capture_of_diff, overlays.profile,
                       overlays.drift};
  if (const int code = resolve_options(flags); code != done) return {.exit_code = code};
  const ShownMaps maps = open_maps(flags, overlays);
  if (maps.opened.map.map == nullptr) return {.exit_code = maps.opened.map.exit_code};
  Result<serve::Overlay> overlay = read_overlay(maps, overlays);
  if (!overlay) return {.exit_code = fail(overlay.error())};
  const semantics::Map& shown = *maps.opened.map.map;
  if (maps.other == nullptr) return {std::make_unique<const serve::ViewModels>(shown, *std::move(overlay))};
  return {std::make_unique<const serve::ViewModels>(shown, *maps.other, *std::move(overlay))};
}

}  // namespace thence::cli
