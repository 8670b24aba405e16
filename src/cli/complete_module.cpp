// Module paths for shell completion. Reads only the tree, and prints no errors.
#include <algorithm>
#include <cstdlib>

#include "base/diagnostic.h"
#include "capture/capture.h"
#include "cli/completion.h"
#include "cli/limits.h"
#include "functions/unfold.h"
#include "hierarchy/hierarchy.h"
#include "onnx/model.h"

namespace thence::cli {
namespace {

std::string with_home(std::string path) {
  if (path.starts_with("~/"))
    if (const char* home = std::getenv("HOME")) path.replace(0, 1, home);
  return path;
}

// A shell may execute characters of a name on the command line, and shells cannot safely quote some
// characters inside an open quote. Only names that need no quotes are offered.
bool is_safe_in_shells(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == '-';
  });
}

// The paths that begin with `begun`, up to the next dot. If `begun` is the whole path of a module, its
// children.
std::vector<std::string> matching_paths(const modules::ModuleTree& tree, std::string_view prefix) {
  std::vector<std::string> found;
  const auto add = [&](modules::ModuleId module) {
    const std::string_view one = tree[module].path;
    if (found.size() < max_candidates && is_safe_in_shells(one)) found.emplace_back(one);
  };
  for (modules::ModuleId module = 1; module < tree.size(); ++module) {
    const std::string_view one = tree[module].path;
    if (one.starts_with(prefix) && one.find('.', prefix.size()) == std::string_view::npos) add(module);
  }
  const modules::ModuleId module_itself = tree.find(prefix);
  if (found.size() == 1 && found.front() == prefix && module_itself != modules::no_module)
    for (const modules::ModuleId child : tree[module_itself].children) add(child);
  if (found.size() > 1 && found.front() == prefix) found.erase(found.begin());
  return found;
}

}  // namespace

std::vector<std::string> complete_module(const std::string& model_file, const std::string& capture_file,
                                         const std::string& prefix) {
  Diagnostics ignored;
  const std::string path = with_home(model_file);
  if (path.empty() || path == "-") return {};
  const Result<onnx::Model> model = functions::open_model(path, ignored);
  if (!model) return {};
  std::optional<capture::Capture> capture;
  if (!capture_file.empty())
    if (Result<capture::Capture> read = capture::open_capture(with_home(capture_file), ignored))
      capture = *std::move(read);
  const hierarchy::Hierarchy hierarchy(*model, std::move(capture));
  return matching_paths(hierarchy.tree(), prefix);
}

}  // namespace thence::cli
