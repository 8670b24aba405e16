#include "pipeline/pipeline.h"

#include <algorithm>
#include <future>
#include <memory>
#include <optional>

#include "base/cut_file.h"
#include "base/format.h"
#include "base/text.h"
#include "capture/capture.h"
#include "functions/expand.h"
#include "functions/unfold.h"
#include "hierarchy/builder_scopes.h"
#include "hierarchy/same_model.h"
#include "hierarchy/wrapping.h"
#include "onnx/errors.h"
#include "pipeline/ancestor.h"
#include "resolve/ancestor.h"
#include "resolve/expanded_calls.h"
#include "rules/read.h"
#include "weights/sampled_parameters.h"

namespace thence::pipeline {
namespace {

using capture::Capture;
using evidence::AncestorAnswers;
using semantics::Map;
using semantics::MapOptions;
using semantics::MapParts;

// What the options name.
struct Request {
  resolve::Strategy strategy;
  std::unique_ptr<const rules::Rules> rules;  // none: nothing to read
};

Result<Request> read_request(const MapOptions& options) {
  const Result<resolve::Strategy> strategy = resolve::find_strategy(options.strategy);
  if (!strategy) return strategy.error();
  Request request{*strategy, nullptr};
  if (!options.rules.empty()) {
    Result<rules::Rules> rules = rules::open_rules(options.rules);
    if (!rules) return rules.error();
    request.rules = std::make_unique<const rules::Rules>(*std::move(rules));
  } else if (options.granularity == rules::Granularity::custom) {
    return Error{ErrorKind::usage, "U016", "granularity 'custom' needs rules, and none are given",
                 "give rules with --rules, or use hf or nn"};
  }
  return request;
}

// The capture that the options name, if any. An error if the strategy needs what it does not have.
Result<std::optional<Capture>> read_capture(const MapOptions& options, const resolve::Strategy& strategy,
                                            Diagnostics& diagnostics) {
  std::optional<Capture> capture;
  if (!options.capture.empty()) {
    Result<Capture> read = capture::open_capture(options.capture, diagnostics);
    if (!read) return read.error();
    capture = *std::move(read);
  } else if (options.checkpoint) {
    Result<Capture> read = capture::read_checkpoint(*options.checkpoint, diagnostics);
    if (!read) return read.error();
    capture = *std::move(read);
  }
  const std::string_view needed = strategy.needs_section;
  if (needed.empty()) return capture;
  if (capture &&
      std::find(capture->sections.begin(), capture->sections.end(), needed) != capture->sections.end())
    return capture;
  return Error{
      ErrorKind::usage, "U002",
      base::format("strategy '{}' needs a capture with the section '{}'", strategy.name, needed),
      base::format("capture the live model and give the file with --capture, or use --strategy auto")};
}

// Gives the capture the paths of the file, if one of them wraps the other's model. An error if they are of
// different models.
std::optional<Error> adapt_capture(Capture& capture, const onnx::Model& model, const MapOptions& options,
                                   Diagnostics& diagnostics) {
  const std::string& file = options.checkpoint ? options.checkpoint->path : options.capture;
  const hierarchy::Wrapping wrapping = hierarchy::find_wrapping(capture, model);
  capture = hierarchy::rebase_capture(std::move(capture), wrapping);
  if (auto error = options.checkpoint ? hierarchy::check_same_checkpoint(capture, model, file)
                                      : hierarchy::check_same_model(capture, model, file))
    return error;
  if (!wrapping.prefix.empty())
    diagnostics.add(
        {"C007", Severity::note, file,
         base::format("paths in the {} begin with '{}.': the same model, wrapped; those of the file are used",
                      wrapping.is_in_capture ? "capture" : "file", base::printable(wrapping.prefix))});
  return std::nullopt;
}

// A module that the ancestor lacks is the origin of no node. But a file of the ancestor names only modules
// that have nodes there, and a second export may have nodes of others. A graph that another tool built has
// names of its own: then the ancestor's weights prove modules, as those of a capture do.
Capture capture_of(const Map& ancestor, const onnx::Model& derived, bool has_independent_names) {
  Capture capture;
  capture.tree = ancestor.own_tree().copy();
  if (hierarchy::has_builder_scopes(derived) || (has_independent_names && hierarchy::may_be_built(derived)))
    capture.parameters = weights::sampled_parameters(ancestor);
  if (!has_independent_names || !capture.parameters.empty()) capture.tree.set_complete();
  return capture;
}

std::optional<Error> check_hierarchy(const MapParts& parts, Diagnostics& diagnostics) {
  const modules::ModuleTree& tree = parts.hierarchy->tree();
  if (tree.is_full())
    diagnostics.add(
        {"M003", Severity::warning, "",
         base::format(
             "the names in the file speak of more modules than its size allows for; {} are known, and "
             "nodes of others stay unknown",
             tree.size())});
  if (!parts.strategy.needs_classes || tree.has_classes()) return std::nullopt;
  return Error{ErrorKind::usage, "U004",
               base::format("strategy '{}' needs the classes of modules, which {} does not have",
                            parts.strategy.name, base::printable(parts.model->file())),
               "give a capture with --capture, or use --strategy auto"};
}

// Answers by the file's own names, metadata and tags, for nodes that the ancestor leaves open, and where
// names overrule it.
void add_own_answers(MapParts& parts, const resolve::Strategy& strategy,
                     const resolve::FlowIndex& flow_index) {
  const bool has_weights = parts.hierarchy->weight_owners().has_any();
  if (!parts.ancestor->has_independent_names && !has_weights &&
      !resolve::leaves_open(*parts.ancestor, parts.resolution))
    return;
  if (strategy.needs_classes && !parts.hierarchy->tree().has_classes()) return;
  evidence::Sink own = evidence::collect(*parts.model, *parts.hierarchy, strategy.sources);
  const resolve::Resolution resolution = resolve::resolve(*parts.model, *parts.hierarchy, own, flow_index,
                                                          resolve::beside_ancestor(strategy), *parts.filter);
  resolve::add_own_answers(*parts.ancestor, parts.hierarchy->tree(), resolution, has_weights,
                           parts.resolution);
  parts.evidence->add_sources(std::move(own));
}

// Whether the functions of a model are expanded to tell their calls apart.
enum class Functions : std::uint8_t { expanded, as_they_are };

// The map of the model with its functions expanded. Empty if it has none, or they cannot be expanded.
std::optional<Map> map_expanded(const onnx::Model& model, const MapOptions& options);

// From the opened model on.
Result<Map> make_map(MapParts parts, Request request, std::optional<Capture> capture,
                     const MapOptions& options, Functions functions = Functions::expanded) {
  const onnx::Model& model = *parts.model;
  const AncestorAnswers* const ancestor = parts.ancestor.get();
  parts.strategy = ancestor != nullptr ? resolve::with_ancestor(request.strategy) : request.strategy;
  // Both policies: if no thread can be started, it is deferred.
  std::future<resolve::FlowIndex> flow_index =
      std::async(options.jobs > 1 ? std::launch::async | std::launch::deferred : std::launch::deferred,
                 [&model, cut = base::current_cut_file()] {
                   const base::CutFileGuard guard(cut);
                   return resolve::FlowIndex(model);
                 });
  parts.hierarchy = std::make_unique<hierarchy::Hierarchy>(model, std::move(capture), !options.ignore_tags);
  if (auto error = check_hierarchy(parts, parts.diagnostics)) return *std::move(error);
  parts.evidence = std::make_unique<evidence::Sink>(
      evidence::collect(model, *parts.hierarchy, parts.strategy.sources, ancestor));
  parts.filter = semantics::class_filter(options, request.rules.get());
  const resolve::FlowIndex flow = flow_index.get();
  parts.resolution = resolve::resolve(model, *parts.hierarchy, *parts.evidence, flow, parts.strategy,
                                      *parts.filter, ancestor);
  if (ancestor != nullptr)
    add_own_answers(parts, request.strategy, flow);
  else if (const std::optional<Map> expanded =
               functions == Functions::expanded ? map_expanded(model, options) : std::nullopt)
    resolve::apply_expanded_calls({expanded->model(), expanded->own_tree(), expanded->own_resolution()},
                                  model, parts.hierarchy->tree(), parts.resolution);
  return Map::make(std::move(parts), std::move(request.rules), options);
}

// Errors in what the options name come before errors in the model.
Result<Map> map_opened_model(MapParts parts, Result<onnx::Model> model, const MapOptions& options,
                             Functions functions = Functions::expanded) {
  Result<Request> request = read_request(options);
  if (!request) return request.error();
  Result<std::optional<Capture>> capture = read_capture(options, request->strategy, parts.diagnostics);
  if (!capture) return capture.error();
  if (!model) return model.error();
  parts.model = std::make_unique<onnx::Model>(*std::move(model));
  if (*capture)
    if (auto error = adapt_capture(**capture, *parts.model, options, parts.diagnostics))
      return *std::move(error);
  return make_map(std::move(parts), *std::move(request), *std::move(capture), options, functions);
}

std::optional<Map> map_expanded(const onnx::Model& model, const MapOptions& options) {
  if (!functions::has_functions(model)) return std::nullopt;
  const Result<functions::Expanded> expanded = functions::expand_functions(
      model, [](const onnx::Graph&) { return true; }, functions::NodeLabels::origins);
  if (!expanded || expanded->expanded == 0) return std::nullopt;
  Result<base::MemoryImage> image = expanded->model.assemble();
  if (!image) return std::nullopt;
  MapParts parts;
  Result<onnx::Model> flat = onnx::Model::read(*std::move(image), model, parts.diagnostics);
  // What could not be expanded stays: functions that call each other, or that have one name.
  Result<Map> map = map_opened_model(std::move(parts), std::move(flat), options, Functions::as_they_are);
  if (!map) return std::nullopt;
  return *std::move(map);
}

Result<AncestorAnswers> match_ancestor(const Map& ancestor, const onnx::Model& model,
                                       const transfer::Verifier& verifier) {
  for (const onnx::Model* const each : {&ancestor.model(), &model})
    if (std::optional<Error> error = onnx::invalid_external_data(*each)) return *std::move(error);
  Result<transfer::Matches> matches = transfer::match_models(ancestor.model(), model, verifier);
  if (!matches) return matches.error();
  const transfer::Overlap& overlap = matches->overlap;
  if (!overlap.is_insufficient()) return ancestor_answers(ancestor, model, *std::move(matches));
  return Error{ErrorKind::difference, "D001",
               base::format("{} and {} have nothing in common: {} of {} nodes match, and {} of {} "
                            "weights are equal",
                            base::printable(ancestor.model().file()), base::printable(model.file()),
                            overlap.matched, overlap.nodes, overlap.known_weights, overlap.weights),
               "give the model that the other was made from"};
}

Result<Map> map_opened_derived(MapParts parts, Result<onnx::Model> model, const Map& ancestor,
                               const MapOptions& options, const transfer::Verifier& verifier) {
  Result<Request> request = read_request(options);
  if (!request) return request.error();
  if (!model) return model.error();
  parts.model = std::make_unique<onnx::Model>(*std::move(model));
  Result<AncestorAnswers> answers = match_ancestor(ancestor, *parts.model, verifier);
  if (!answers) return answers.error();
  parts.ancestor = std::make_unique<AncestorAnswers>(*std::move(answers));
  parts.ancestor->has_independent_names = resolve::has_independent_names(ancestor.model(), *parts.model);
  Capture capture = capture_of(ancestor, *parts.model, parts.ancestor->has_independent_names);
  return make_map(std::move(parts), *std::move(request), std::move(capture), options);
}

}  // namespace

Result<Map> map_file(const std::string& path, const MapOptions& options) {
  MapParts parts;
  Result<onnx::Model> model = functions::open_model(path, parts.diagnostics);
  return map_opened_model(std::move(parts), std::move(model), options);
}

Result<Map> map_bytes(std::string_view bytes, const std::string& label, const MapOptions& options) {
  MapParts parts;
  Result<onnx::Model> model = functions::read_model(bytes, label, parts.diagnostics);
  return map_opened_model(std::move(parts), std::move(model), options);
}

Result<Map> map_derived(const Map& ancestor, const std::string& path, const MapOptions& options,
                        const transfer::Verifier& verifier) {
  MapParts parts;
  Result<onnx::Model> model = functions::open_model(path, parts.diagnostics);
  return map_opened_derived(std::move(parts), std::move(model), ancestor, options, verifier);
}

Result<Map> map_derived_bytes(const Map& ancestor, std::string_view bytes, const std::string& label,
                              const MapOptions& options, const transfer::Verifier& verifier) {
  MapParts parts;
  Result<onnx::Model> model = functions::read_model(bytes, label, parts.diagnostics);
  return map_opened_derived(std::move(parts), std::move(model), ancestor, options, verifier);
}

}  // namespace thence::pipeline
