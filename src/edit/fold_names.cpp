#include "edit/fold_names.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/format.h"
#include "base/text.h"
#include "base/unique_names.h"
#include "functions/folded_format.h"

namespace thence::edit {
namespace {

using modules::ModuleId;
using onnx::ValueId;

// Keeps letters, digits and underscores, which every tool accepts in names.
std::string identifier(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    out.push_back(plain ? c : '_');
  }
  return out;
}

// The result of `say` if it is the same for all groups of a function; otherwise empty.
template <class TextOf>
std::optional<std::string_view> common_text(const Function& function, TextOf text_of) {
  const std::optional<std::string_view> first = text_of(function.groups.front());
  for (const GroupId group : function.groups)
    if (!first || text_of(group) != first) return std::nullopt;
  return first;
}

std::optional<std::string_view> after_prefix(std::string_view name, std::string_view path) {
  if (path.empty() || name.size() <= path.size() + 1 || !name.starts_with(path) || name[path.size()] != '.')
    return std::nullopt;
  return name.substr(path.size() + 1);
}

class SharedBodyNames {
 public:
  SharedBodyNames(const Fold& fold, const Function& function)
      : fold_(fold), function_(function), body_(fold.bodies.by_group[function.groups.front()]) {}

  BodyNames run() {
    name_values();
    for (std::size_t i = 0; i < body_.steps.size(); ++i) names_.steps.push_back(step_name(i));
    return std::move(names_);
  }

 private:
  void name_values() {
    const onnx::Model& model = fold_.graph.model();
    const std::vector<std::string> plain = plain_names();
    base::UniqueNames unique_names('_');
    for (std::size_t i = 0; i < body_.values.size(); ++i) {
      const auto name = [&](GroupId group) {
        return model.value_name(fold_.bodies.by_group[group].values[i]);
      };
      std::optional<std::string_view> same =
          common_text(function_, [&](GroupId group) { return std::optional(name(group)); });
      if (!same)
        same = common_text(function_,
                           [&](GroupId group) { return after_prefix(name(group), fold_.path_of(group)); });
      names_.values.push_back(unique_names.make_unique(same ? std::string(*same) : plain[i]));
    }
  }

  // Inputs are named "input", outputs "output", and other values after their operator.
  std::vector<std::string> plain_names() const {
    std::unordered_map<ValueId, std::string> names;
    for (const ValueId value : body_.inputs) names.emplace(value, "input");
    for (const ValueId value : body_.outputs) names.emplace(value, "output");
    std::vector<std::string> plain;
    for (const ValueId value : body_.values) {
      const auto known = names.find(value);
      plain.push_back(known != names.end()
                          ? known->second
                          : std::string(fold_.graph.model().node(fold_.graph.producer(value)).op_type()));
    }
    return plain;
  }

  std::string step_name(std::size_t i) {
    const auto step = [&](GroupId group) { return fold_.bodies.by_group[group].steps[i].index; };
    if (body_.steps[i].is_group) {
      if (const auto path =
              common_text(function_, [&](GroupId g) { return std::optional(fold_.path_of(step(g))); }))
        return calls_.make_unique(std::string(*path));
      const auto path = common_text(
          function_, [&](GroupId g) { return after_prefix(fold_.path_of(step(g)), fold_.path_of(g)); });
      const Body& inner = fold_.bodies.by_group[body_.steps[i].index];
      return calls_.make_unique("." +
                                (path ? std::string(*path) : fold_.bodies.functions[inner.function].name));
    }
    const auto name = [&](GroupId g) { return fold_.graph.model().node(step(g)).name(); };
    auto same = common_text(function_, [&](GroupId g) { return std::optional(name(g)); });
    if (!same)
      same = common_text(function_,
                         [&](GroupId g) { return std::optional(name(g).substr(name(g).rfind('/') + 1)); });
    if (same && same->empty()) return {};
    return nodes_.make_unique(
        std::string(same ? *same : fold_.graph.model().node(body_.steps[i].index).op_type()));
  }

  const Fold& fold_;
  const Function& function_;
  const Body& body_;
  base::UniqueNames calls_{':'}, nodes_{'_'};
  BodyNames names_;
};

}  // namespace

std::string label_of(const modules::ModuleTree& tree, ModuleId module) {
  if (!tree[module].class_name.empty()) return identifier(modules::short_class(tree[module].class_name));
  while (module != modules::root && base::is_digits(tree[module].name())) module = tree[module].parent;
  return module == modules::root ? "Module" : identifier(tree[module].name());
}

void name_functions(Fold& fold) {
  const modules::ModuleTree& tree = fold.map.tree();
  std::unordered_map<std::string, std::uint32_t> bodies;
  for (const Function& function : fold.bodies.functions)
    ++bodies[label_of(tree, fold.module_of(function.groups.front()))];
  base::UniqueNames unique_names('_');
  for (const onnx::Graph& graph : fold.map.model().graphs())
    if (graph.kind == onnx::Graph::Kind::function && graph.domain == functions::folded_domain)
      unique_names.reserve(std::string(graph.name));
  for (Function& function : fold.bodies.functions) {
    const ModuleId module = fold.module_of(function.groups.front());
    const std::string label = label_of(tree, module);
    const std::string_view path = tree[module].path;
    function.name = label;
    bool found = bodies[label] == 1 && unique_names.reserve(label);
    for (std::size_t at = path.size(); !found && at > 0 && at != std::string_view::npos;) {
      at = path.rfind('.', at - 1);
      function.name = label + "_" + identifier(path.substr(at == std::string_view::npos ? 0 : at + 1));
      found = unique_names.reserve(function.name);
    }
    if (!found) function.name = unique_names.make_unique(function.name);
  }
}

std::vector<std::string> call_names(const Fold& fold) {
  std::vector<std::string> names(fold.partition.groups.size());
  base::UniqueNames unique_names(':');
  for (GroupId group = 1; group < names.size(); ++group)
    if (fold.bodies.by_group[group].function != onnx::none)
      names[group] = unique_names.make_unique(std::string(fold.path_of(group)));
  return names;
}

BodyNames body_names(const Fold& fold, const Function& function, const std::vector<std::string>& calls) {
  if (function.shared()) return SharedBodyNames(fold, function).run();
  const Body& body = fold.bodies.by_group[function.groups.front()];
  BodyNames names;
  for (const ValueId value : body.values) names.values.emplace_back(fold.graph.model().value_name(value));
  for (const GroupStep& step : body.steps)
    names.steps.emplace_back(step.is_group ? std::string_view(calls[step.index])
                                           : fold.graph.model().node(step.index).name());
  return names;
}

}  // namespace thence::edit
