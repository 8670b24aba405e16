#include "hierarchy/wrapping.h"

#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "hierarchy/parameters.h"

namespace thence::hierarchy {
namespace {

using Paths = std::unordered_set<std::string_view>;

struct Guess {
  std::string_view prefix;
  std::size_t votes = 0;
};

// The prefix that most of the longer paths have before a shorter one.
Guess likeliest_prefix(const Paths& longer, const Paths& shorter) {
  std::map<std::string_view, std::size_t> votes;
  for (const std::string_view path : longer)
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1))
      if (const std::string_view rest = path.substr(dot + 1);
          rest.find('.') != std::string_view::npos && shorter.contains(rest))
        ++votes[path.substr(0, dot)];
  Guess best;
  for (const auto& [prefix, count] : votes)
    if (count > best.votes) best = {prefix, count};
  return best;
}

std::string joined(std::string_view prefix, std::string_view path) {
  std::string whole(prefix);
  if (!path.empty()) whole.append(1, '.').append(path);
  return whole;
}

// Nothing for a path that the wrapper has outside what it wraps.
std::optional<std::string> moved(std::string_view path, const Wrapping& wrapping) {
  if (!wrapping.capture_has_it) return joined(wrapping.prefix, path);
  if (path == wrapping.prefix) return std::string();
  if (!path.starts_with(joined(wrapping.prefix, "") + ".")) return std::nullopt;
  return std::string(path.substr(wrapping.prefix.size() + 1));
}

void move_paths(std::vector<std::string>& paths, const Wrapping& wrapping) {
  for (std::string& path : paths)
    if (std::optional<std::string> other = moved(path, wrapping)) path = *std::move(other);
}

ModuleTree moved(const ModuleTree& tree, const Wrapping& wrapping, std::vector<ModuleId>& places) {
  ModuleTree made;
  for (ModuleId module = 0; module < tree.size(); ++module) {
    const auto path = moved(tree[module].path, wrapping);
    const ModuleId place = path ? made.add(*path, tree[module].class_name) : no_module;
    places.push_back(place == no_module ? root : place);
    if (place == no_module) continue;
    if (tree[module].calls) made.set_calls(place, *tree[module].calls);
    for (const std::string_view alias : tree[module].aliases)
      if (const auto other = moved(alias, wrapping)) made.add_alias(place, *other);
  }
  if (tree.complete()) made.set_complete();
  return made;
}

}  // namespace

Wrapping find_wrapping(const Capture& capture, const onnx::Model& model) {
  constexpr std::size_t fewest = 3;  // that are no coincidence
  Paths captured, named;
  const auto add_captured = [&](const std::string& path) {
    if (path.size() <= ModuleTree::max_path_length) captured.insert(path);
  };
  for (const CapturedParameter& parameter : capture.parameters) {
    add_captured(parameter.path);
    for (const std::string& alias : parameter.aliases) add_captured(alias);
  }
  for (const onnx::Initializer& initializer : model.initializers())
    if (initializer.value != onnx::none)
      if (const std::string_view path = parameter_path(model.value_name(initializer.value));
          path.find('.') != std::string_view::npos)
        named.insert(path);
  std::size_t same = 0;
  for (const std::string_view path : named) same += captured.contains(path);
  if (same * 2 >= named.size()) return {};
  const Guess file_longer = likeliest_prefix(named, captured);
  const Guess capture_longer = likeliest_prefix(captured, named);
  const Guess& best = file_longer.votes >= capture_longer.votes ? file_longer : capture_longer;
  if (best.votes < fewest || best.votes <= same || best.votes * 2 < named.size()) return {};
  return {std::string(best.prefix), &best == &capture_longer};
}

Capture rewrapped(Capture capture, const Wrapping& wrapping) {
  if (wrapping.prefix.empty()) return capture;
  std::vector<ModuleId> places;  // by old module
  capture.tree = moved(capture.tree, wrapping, places);
  for (CapturedParameter& parameter : capture.parameters) {
    if (auto path = moved(parameter.path, wrapping)) parameter.path = *std::move(path);
    move_paths(parameter.aliases, wrapping);
  }
  for (std::optional<Recording>* recording : {&capture.trace, &capture.fx}) {
    if (!*recording) continue;
    (*recording)->rename_parameters([&](const std::string& path) {
      return moved(path, wrapping).value_or(path);
    });
    for (RecordedStep& step : (*recording)->steps) step.module = places[step.module];
  }
  if (capture.module_map)
    for (auto& [name, call] : *capture.module_map) call.module = places[call.module];
  return capture;
}

}  // namespace thence::hierarchy
