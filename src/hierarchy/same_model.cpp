#include "hierarchy/same_model.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/format.h"
#include "base/text.h"
#include "hierarchy/capture_thresholds.h"
#include "hierarchy/parameters.h"
#include "reference/held_parameters.h"

namespace thence::hierarchy {

using capture::Capture;
using capture::CapturedParameter;

namespace {

std::vector<std::int64_t> sorted(std::vector<std::int64_t> dims) {
  std::sort(dims.begin(), dims.end());
  return dims;
}

bool is_share(std::size_t part, double share, std::size_t all) {
  return static_cast<double>(part) >= share * static_cast<double>(all);
}

struct Matches {
  std::size_t found = 0, weights = 0;
  bool are_enough = false;
};

// Whether `is_known` accepts the path, or what is left of it without the last words of the last atom: tools
// append words to names ("fc.weight_merged_0").
template <class IsKnown>
bool is_known_or_extended(std::string_view path, const IsKnown& is_known) {
  while (!is_known(path)) {
    const std::size_t word = path.rfind('_');
    if (word == std::string_view::npos || path.find('.', word) != std::string_view::npos) return false;
    path = path.substr(0, word);
  }
  return true;
}

// Tools rename parameters, so content decides. If the capture has none, the shapes of the matrices do.
Matches match_parameters(const Capture& capture, const onnx::Model& model) {
  const reference::HeldParameters held = reference::find_held_parameters(model, capture.parameters);
  if (held.weights > 0)
    return {held.found, held.weights, is_share(held.found, least_held_share, held.weights)};
  std::set<std::vector<std::int64_t>> shapes;
  for (const CapturedParameter& parameter : capture.parameters)
    if (parameter.has_dims) shapes.insert(sorted(parameter.dims));
  std::size_t matrices = 0, fitting = 0;
  for (const onnx::Initializer& initializer : model.initializers()) {
    const onnx::TensorView tensor = initializer.sparse ? onnx::TensorView() : model.tensor(initializer);
    if (tensor.dims.size() < 2 || !onnx::is_float(tensor.data_type)) continue;
    ++matrices;
    fitting += shapes.contains(sorted(tensor.dims)) ? 1 : 0;
  }
  return {fitting, matrices, matrices > 0 && is_share(fitting, least_fitting_share, matrices)};
}

// The parameters that the file names, those that the checkpoint has, too, and those with the same sizes
// there.
struct NameMatches {
  std::size_t named = 0, known = 0, fitting = 0;
};

NameMatches match_names(const Capture& checkpoint, const onnx::Model& model) {
  std::unordered_map<std::string_view, const CapturedParameter*> by_path;
  for (const CapturedParameter& parameter : checkpoint.parameters) {
    by_path.emplace(parameter.path, &parameter);
    for (const std::string& alias : parameter.aliases) by_path.emplace(alias, &parameter);
  }
  NameMatches matches;
  for (const onnx::Initializer& initializer : model.initializers()) {
    if (initializer.value == onnx::none || initializer.sparse) continue;
    const std::string_view path = parameter_path(model.value_name(initializer.value));
    if (path.find('.') == std::string_view::npos) continue;
    ++matches.named;
    auto found = by_path.end();
    if (!is_known_or_extended(
            path, [&](std::string_view each) { return (found = by_path.find(each)) != by_path.end(); }))
      continue;
    ++matches.known;
    matches.fitting +=
        !found->second->has_dims || sorted(found->second->dims) == sorted(model.tensor(initializer).dims);
  }
  return matches;
}

}  // namespace

std::optional<Error> check_same_model(const Capture& capture, const onnx::Model& model,
                                      const std::string& label) {
  std::unordered_set<std::string_view> known;
  for (const CapturedParameter& parameter : capture.parameters) {
    known.insert(parameter.path);
    known.insert(parameter.aliases.begin(), parameter.aliases.end());
  }
  // A capture without parameters is compared by modules. If its list of modules is incomplete, an outer
  // module is enough.
  const auto has_module = [&](std::string_view path) {
    if (path.size() > ModuleTree::max_path_length) return false;
    while (!path.empty() && capture.tree.find(path) == no_module) {
      const std::size_t dot = path.rfind('.');
      if (capture.tree.is_complete() || dot == std::string_view::npos) return false;
      path = path.substr(0, dot);
    }
    return true;
  };
  std::size_t named = 0, found = 0;
  for (const onnx::Initializer& initializer : model.initializers()) {
    if (initializer.value == onnx::none) continue;
    const std::string_view path = parameter_path(model.value_name(initializer.value));
    if (path.find('.') == std::string_view::npos) continue;
    ++named;
    found += known.empty()
                 ? has_module(path.substr(0, path.rfind('.')))
                 : is_known_or_extended(path, [&](std::string_view each) { return known.contains(each); });
  }
  if (named < least_named_to_refuse || found > 0 || match_parameters(capture, model).are_enough)
    return std::nullopt;
  return Error{ErrorKind::bad_input, "C004",
               base::format("{}: capture of another model: it has none of the {} parameters named in {}",
                            base::printable(label), named, base::printable(model.file())),
               "give the capture of this model, or none"};
}

std::optional<Error> check_same_checkpoint(const Capture& checkpoint, const onnx::Model& model,
                                           const std::string& label) {
  const NameMatches names = match_names(checkpoint, model);
  if (names.known > 0 && is_share(names.known, least_share_known, names.named) &&
      is_share(names.fitting, least_share_of_same_size, names.known))
    return std::nullopt;
  Matches matches = match_parameters(checkpoint, model);
  if (matches.are_enough) return std::nullopt;
  if (matches.weights == 0) matches = {names.fitting, names.named, false};
  if (matches.weights < least_named_to_refuse) return std::nullopt;
  return Error{ErrorKind::difference, "C012",
               base::format("{}: another model: {} of {} initializers of {} match", base::printable(label),
                            matches.found, matches.weights, base::printable(model.file())),
               "give the folder of the model that was exported, or a capture with --capture"};
}

}  // namespace thence::hierarchy
