#include "hierarchy/wrapping.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "hierarchy/builder_scopes.h"
#include "hierarchy/capture_thresholds.h"
#include "hierarchy/parameters.h"
#include "hierarchy/scope_index.h"
#include "onnx/content_hash.h"
#include "reference/held_parameters.h"

namespace thence::hierarchy {
namespace {

using capture::CapturedParameter;
using capture::ModuleMap;
using capture::RecordedStep;
using capture::Recording;
using modules::ModuleId;
using modules::ModuleTree;
using modules::no_module;
using onnx::hash_content;

using ParametersByPath = std::unordered_map<std::string_view, const CapturedParameter*>;
using InitializersByPath = std::unordered_map<std::string_view, std::uint32_t>;  // initializers

struct PrefixCandidate {
  std::string_view prefix;
  std::vector<std::string_view>
      suffixes;  // paths of the shorter side that have this prefix on the longer side
};

// The prefixes that some of the longer paths have before a shorter one, the likeliest first.
template <class Longer, class Shorter>
std::vector<PrefixCandidate> find_prefixes(const Longer& longer, const Shorter& shorter) {
  std::map<std::string_view, std::vector<std::string_view>> found;
  for (const auto& [path, whose] : longer)
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1))
      if (const std::string_view suffix = path.substr(dot + 1);
          suffix.find('.') != std::string_view::npos && shorter.contains(suffix))
        found[path.substr(0, dot)].push_back(suffix);
  std::vector<PrefixCandidate> candidates;
  for (auto& [prefix, suffixes] : found) candidates.push_back({prefix, std::move(suffixes)});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const PrefixCandidate& a, const PrefixCandidate& b) {
                     return a.suffixes.size() > b.suffixes.size();
                   });
  return candidates;
}

// Compares the content of parameters and initializers. Hashes differ after a cast; samples do not, but small
// parameters have none.
class EqualContent {
 public:
  EqualContent(const Capture& capture, const onnx::Model& model)
      : capture_(capture), model_(model), held_(reference::find_held_parameters(model, capture.parameters)) {}

  bool holds(std::uint32_t initializer, const CapturedParameter& parameter) const {
    const auto number = static_cast<std::uint32_t>(&parameter - capture_.parameters.data());
    const std::vector<std::uint32_t>& held = held_.by_initializer[initializer].parameters;
    if (!held.empty()) return held.size() == 1 && held.front() == number;
    const auto captured_hash = parameter.content_hash();
    const auto stored_hash = hash_content(model_, model_.initializers()[initializer]);
    return captured_hash && stored_hash && *captured_hash == stored_hash->unordered;
  }

 private:
  const Capture& capture_;
  const onnx::Model& model_;
  reference::HeldParameters held_;
};

// An encoder and a decoder may contain the same names, so the content of the weights decides.
std::size_t count_equal_content(const PrefixCandidate& candidate, bool is_in_capture,
                                const ParametersByPath& captured, const InitializersByPath& named,
                                const EqualContent& content) {
  std::size_t same = 0;
  for (const std::string_view suffix : candidate.suffixes) {
    const std::string longer = std::string(candidate.prefix).append(".").append(suffix);
    const auto parameter = captured.find(is_in_capture ? std::string_view(longer) : suffix);
    const auto initializer = named.find(is_in_capture ? suffix : std::string_view(longer));
    if (parameter != captured.end() && initializer != named.end())
      same += content.holds(initializer->second, *parameter->second);
  }
  return same;
}

std::string join_path(std::string_view prefix, std::string_view path) {
  std::string whole(prefix);
  if (!path.empty()) whole.append(1, '.').append(path);
  return whole;
}

ParametersByPath captured_paths(const Capture& capture) {
  ParametersByPath captured;
  const auto add = [&](const std::string& path, const CapturedParameter& parameter) {
    if (path.size() <= ModuleTree::max_path_length) captured.emplace(path, &parameter);
  };
  for (const CapturedParameter& parameter : capture.parameters) {
    add(parameter.path, parameter);
    for (const std::string& alias : parameter.aliases) add(alias, parameter);
  }
  return captured;
}

InitializersByPath named_paths(const onnx::Model& model) {
  InitializersByPath named;
  for (std::uint32_t i = 0; i < model.initializers().size(); ++i) {
    const onnx::ValueId value = model.initializers()[i].value;
    if (value == onnx::none) continue;
    const std::string_view path = parameter_path(model.value_name(value));
    if (path.find('.') != std::string_view::npos) named.emplace(path, i);
  }
  return named;
}

// Empty for a path of the wrapper that is outside the wrapped model.
std::optional<std::string> rebase_path(std::string_view path, const Wrapping& wrapping) {
  if (!wrapping.is_in_capture) return join_path(wrapping.prefix, path);
  if (path == wrapping.prefix) return std::string();
  if (!path.starts_with(join_path(wrapping.prefix, "") + ".")) return std::nullopt;
  return std::string(path.substr(wrapping.prefix.size() + 1));
}

void rebase_paths(std::vector<std::string>& paths, const Wrapping& wrapping) {
  for (std::string& path : paths)
    if (std::optional<std::string> other = rebase_path(path, wrapping)) path = *std::move(other);
}

// A module with several paths may have its first path outside the wrapped model, and others inside.
ModuleId rebase_module(const modules::Module& module, const Wrapping& wrapping, ModuleTree& made) {
  ModuleId rebased = no_module;
  const auto add = [&](std::string_view old_path) {
    const std::optional<std::string> path = rebase_path(old_path, wrapping);
    if (!path) return;
    if (rebased == no_module)
      rebased = made.add(*path, module.class_name);
    else
      made.add_alias(rebased, *path);
  };
  add(module.path);
  for (const std::string_view alias : module.aliases) add(alias);
  return rebased;
}

ModuleTree rebase_tree(const ModuleTree& tree, const Wrapping& wrapping, std::vector<ModuleId>& new_ids) {
  ModuleTree made;
  new_ids.assign(tree.size(), no_module);
  for (ModuleId module = 0; module < tree.size(); ++module)
    if (tree[module].first == no_module) new_ids[module] = rebase_module(tree[module], wrapping, made);
  for (ModuleId module = 0; module < tree.size(); ++module) {
    ModuleId& new_id = new_ids[module];
    if (tree[module].first != no_module)
      if (const auto path = rebase_path(tree[module].path, wrapping)) new_id = made.find_as_called(*path);
    if (new_id != no_module && tree[module].calls) made.set_calls(new_id, *tree[module].calls);
  }
  if (tree.has_registration_order()) made.set_registration_order();
  if (tree.is_complete()) made.set_complete(wrapping.is_in_capture ? std::string_view() : wrapping.prefix);
  return made;
}

// Whether the paths in the file are those of a tool that built it, and content can tell instead.
bool has_own_paths(const onnx::Model& model, const Capture& capture) {
  return reference::have_content(capture.parameters) && may_be_built(model);
}

}  // namespace

Wrapping find_wrapping(const Capture& capture, const onnx::Model& model) {
  if (has_own_paths(model, capture)) return {};
  const ParametersByPath captured = captured_paths(capture);
  const InitializersByPath named = named_paths(model);
  std::size_t same = 0;
  for (const auto& [path, initializer] : named) same += captured.contains(path);
  const auto all = static_cast<double>(named.size());
  if (static_cast<double>(same) >= share_without_prefix * all) return {};
  const std::vector<PrefixCandidate> file_longer = find_prefixes(named, captured);
  const std::vector<PrefixCandidate> capture_longer = find_prefixes(captured, named);
  const auto votes = [](const std::vector<PrefixCandidate>& candidates) {
    return candidates.empty() ? 0 : candidates.front().suffixes.size();
  };
  const bool is_in_capture = votes(capture_longer) > votes(file_longer);
  std::vector<PrefixCandidate> candidates = is_in_capture ? capture_longer : file_longer;
  std::erase_if(candidates, [&](const PrefixCandidate& candidate) {
    const std::size_t count = candidate.suffixes.size();
    return count < least_prefixed || count <= same || static_cast<double>(count) < least_share_prefixed * all;
  });
  if (candidates.empty()) return {};
  if (candidates.size() == 1) return {std::string(candidates.front().prefix), is_in_capture};
  const EqualContent content(capture, model);
  std::map<std::size_t, std::vector<std::string_view>, std::greater<>> by_content;
  for (std::size_t i = 0; i < candidates.size() && i < max_prefixes_compared; ++i)
    by_content[count_equal_content(candidates[i], is_in_capture, captured, named, content)].push_back(
        candidates[i].prefix);
  const auto& [equal, best] = *by_content.begin();
  if (equal == 0 || best.size() > 1) return {};  // no evidence to choose between them
  return {std::string(best.front()), is_in_capture};
}

Capture rebase_capture(Capture capture, const Wrapping& wrapping) {
  if (wrapping.prefix.empty()) return capture;
  std::vector<ModuleId> new_ids;  // by old module
  capture.tree = rebase_tree(capture.tree, wrapping, new_ids);
  for (CapturedParameter& parameter : capture.parameters) {
    if (auto path = rebase_path(parameter.path, wrapping)) parameter.path = *std::move(path);
    rebase_paths(parameter.aliases, wrapping);
  }
  for (std::optional<Recording>* recording : {&capture.trace, &capture.fx}) {
    if (!*recording) continue;
    (*recording)->rename_parameters([&](const std::string& path) {
      return rebase_path(path, wrapping).value_or(path);
    });
    for (RecordedStep& step : (*recording)->steps)
      if (step.module != no_module) step.module = new_ids[step.module];
  }
  if (capture.module_map) {
    for (auto& [name, call] : *capture.module_map) call.module = new_ids[call.module];
    std::erase_if(*capture.module_map, [](const auto& entry) { return entry.second.module == no_module; });
  }
  return capture;
}

}  // namespace thence::hierarchy
