#include "hierarchy/same_model.h"

#include <string_view>
#include <unordered_set>

#include "base/format.h"
#include "base/text.h"
#include "hierarchy/capture_thresholds.h"
#include "hierarchy/parameters.h"

namespace thence::hierarchy {

using capture::Capture;
using capture::CapturedParameter;

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
    found += known.empty() ? has_module(path.substr(0, path.rfind('.'))) : known.contains(path);
  }
  if (named < least_named_to_refuse || found > 0) return std::nullopt;
  return Error{ErrorKind::bad_input, "C004",
               base::format("{}: capture of another model: it has none of the {} parameters named in {}",
                            base::printable(label), named, base::printable(model.file())),
               "give the capture of this model, or none"};
}

}  // namespace thence::hierarchy
