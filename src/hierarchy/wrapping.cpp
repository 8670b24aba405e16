#include "hierarchy/wrapping.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "hierarchy/capture_thresholds.h"
#include "hierarchy/parameters.h"
#include "onnx/content_hash.h"

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

using Captured = std::unordered_map<std::string_view, const CapturedParameter*>;
using Named = std::unordered_map<std::string_view, std::uint32_t>;  // initializers

struct Guess {
  std::string_view prefix;
  std::vector<std::string_view> rests;  // paths of the shorter side that have this prefix on the longer side
};

// The prefixes that some of the longer paths have before a shorter one, the likeliest first.
template <class Longer, class Shorter>
std::vector<Guess> prefixes(const Longer& longer, const Shorter& shorter) {
  std::map<std::string_view, std::vector<std::string_view>> found;
  for (const auto& [path, whose] : longer)
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1))
      if (const std::string_view rest = path.substr(dot + 1);
          rest.find('.') != std::string_view::npos && shorter.contains(rest))
        found[path.substr(0, dot)].push_back(rest);
  std::vector<Guess> guesses;
  for (auto& [prefix, rests] : found) guesses.push_back({prefix, std::move(rests)});
  std::stable_sort(guesses.begin(), guesses.end(),
                   [](const Guess& a, const Guess& b) { return a.rests.size() > b.rests.size(); });
  return guesses;
}

// An encoder and a decoder may contain the same names, so the content of the weights decides.
std::size_t same_content(const Guess& guess, bool capture_has_it, const Captured& captured,
                         const Named& named, const onnx::Model& model) {
  std::size_t same = 0;
  for (const std::string_view rest : guess.rests) {
    const std::string longer = std::string(guess.prefix).append(".").append(rest);
    const auto parameter = captured.find(capture_has_it ? std::string_view(longer) : rest);
    const auto initializer = named.find(capture_has_it ? rest : std::string_view(longer));
    if (parameter == captured.end() || initializer == named.end()) continue;
    const auto told = parameter->second->content();
    const auto there = hash_content(model, model.initializers()[initializer->second]);
    same += told && there && *told == there->unordered;
  }
  return same;
}

std::string joined(std::string_view prefix, std::string_view path) {
  std::string whole(prefix);
  if (!path.empty()) whole.append(1, '.').append(path);
  return whole;
}

Captured captured_paths(const Capture& capture) {
  Captured captured;
  const auto add = [&](const std::string& path, const CapturedParameter& parameter) {
    if (path.size() <= ModuleTree::max_path_length) captured.emplace(path, &parameter);
  };
  for (const CapturedParameter& parameter : capture.parameters) {
    add(parameter.path, parameter);
    for (const std::string& alias : parameter.aliases) add(alias, parameter);
  }
  return captured;
}

Named named_paths(const onnx::Model& model) {
  Named named;
  for (std::uint32_t i = 0; i < model.initializers().size(); ++i) {
    const onnx::ValueId value = model.initializers()[i].value;
    if (value == onnx::none) continue;
    const std::string_view path = parameter_path(model.value_name(value));
    if (path.find('.') != std::string_view::npos) named.emplace(path, i);
  }
  return named;
}

// Empty for a path of the wrapper that is outside the wrapped model.
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
    places.push_back(place);
    if (place == no_module) continue;
    if (tree[module].calls) made.set_calls(place, *tree[module].calls);
    for (const std::string_view alias : tree[module].aliases)
      if (const auto other = moved(alias, wrapping)) made.add_alias(place, *other);
  }
  if (tree.is_complete()) made.set_complete();
  return made;
}

}  // namespace

Wrapping find_wrapping(const Capture& capture, const onnx::Model& model) {
  const Captured captured = captured_paths(capture);
  const Named named = named_paths(model);
  std::size_t same = 0;
  for (const auto& [path, initializer] : named) same += captured.contains(path);
  const auto all = static_cast<double>(named.size());
  if (static_cast<double>(same) >= share_without_prefix * all) return {};
  const std::vector<Guess> file_longer = prefixes(named, captured);
  const std::vector<Guess> capture_longer = prefixes(captured, named);
  const auto votes = [](const std::vector<Guess>& guesses) {
    return guesses.empty() ? 0 : guesses.front().rests.size();
  };
  const bool capture_has_it = votes(capture_longer) > votes(file_longer);
  std::vector<Guess> guesses = capture_has_it ? capture_longer : file_longer;
  std::erase_if(guesses, [&](const Guess& guess) {
    const std::size_t count = guess.rests.size();
    return count < least_prefixed || count <= same || static_cast<double>(count) < least_share_prefixed * all;
  });
  if (guesses.empty()) return {};
  if (guesses.size() == 1) return {std::string(guesses.front().prefix), capture_has_it};
  std::map<std::size_t, std::vector<std::string_view>, std::greater<>> by_content;
  for (std::size_t i = 0; i < guesses.size() && i < most_prefixes_compared; ++i)
    by_content[same_content(guesses[i], capture_has_it, captured, named, model)].push_back(guesses[i].prefix);
  const auto& [equal, best] = *by_content.begin();
  if (equal == 0 || best.size() > 1) return {};  // no evidence to choose between them
  return {std::string(best.front()), capture_has_it};
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
    for (RecordedStep& step : (*recording)->steps)
      if (step.module != no_module) step.module = places[step.module];
  }
  if (capture.module_map) {
    for (auto& [name, call] : *capture.module_map) call.module = places[call.module];
    std::erase_if(*capture.module_map, [](const auto& entry) { return entry.second.module == no_module; });
  }
  return capture;
}

}  // namespace thence::hierarchy
