#include "edit/fold_names.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/format.h"
#include "base/text.h"
#include "hierarchy/folded_call.h"

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

// Makes names unique.
class Unused {
 public:
  explicit Unused(char before_number) : before_number_(before_number) {}
  bool take(const std::string& name) { return used_.insert(name).second; }
  std::string any(const std::string& name) {
    if (take(name)) return name;
    std::uint32_t& number = last_[name];
    while (true)
      if (std::string next = base::format("{}{}{}", name, before_number_, ++number); take(next)) return next;
  }

 private:
  char before_number_;
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, std::uint32_t> last_;
};

// The result of `say` if it is the same for all groups of a function; otherwise empty.
template <class Say>
std::optional<std::string_view> agreed(const Function& function, Say say) {
  const std::optional<std::string_view> first = say(function.groups.front());
  for (const GroupId group : function.groups)
    if (!first || say(group) != first) return std::nullopt;
  return first;
}

std::optional<std::string_view> after_prefix(std::string_view name, std::string_view path) {
  if (path.empty() || name.size() <= path.size() + 1 || !name.starts_with(path) || name[path.size()] != '.')
    return std::nullopt;
  return name.substr(path.size() + 1);
}

class SharedNames {
 public:
  SharedNames(const Fold& fold, const Function& function)
      : fold_(fold), function_(function), body_(fold.bodies.of[function.groups.front()]) {}

  BodyNames run() {
    name_values();
    for (std::size_t i = 0; i < body_.steps.size(); ++i) names_.steps.push_back(step_name(i));
    return std::move(names_);
  }

 private:
  void name_values() {
    const onnx::Model& model = fold_.graph.model();
    const std::vector<std::string> plain = plain_names();
    Unused unused('_');
    for (std::size_t i = 0; i < body_.values.size(); ++i) {
      const auto name = [&](GroupId group) { return model.value_name(fold_.bodies.of[group].values[i]); };
      std::optional<std::string_view> same =
          agreed(function_, [&](GroupId group) { return std::optional(name(group)); });
      if (!same)
        same =
            agreed(function_, [&](GroupId group) { return after_prefix(name(group), fold_.path_of(group)); });
      names_.values.push_back(unused.any(same ? std::string(*same) : plain[i]));
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
                          : std::string(fold_.graph.model().node(fold_.graph.writer(value)).op_type()));
    }
    return plain;
  }

  std::string step_name(std::size_t i) {
    const auto step = [&](GroupId group) { return fold_.bodies.of[group].steps[i].index; };
    if (body_.steps[i].is_group) {
      if (const auto path =
              agreed(function_, [&](GroupId g) { return std::optional(fold_.path_of(step(g))); }))
        return calls_.any(std::string(*path));
      const auto path = agreed(
          function_, [&](GroupId g) { return after_prefix(fold_.path_of(step(g)), fold_.path_of(g)); });
      const Body& inner = fold_.bodies.of[body_.steps[i].index];
      return calls_.any("." + (path ? std::string(*path) : fold_.bodies.functions[inner.function].name));
    }
    const auto name = [&](GroupId g) { return fold_.graph.model().node(step(g)).name(); };
    auto same = agreed(function_, [&](GroupId g) { return std::optional(name(g)); });
    if (!same)
      same =
          agreed(function_, [&](GroupId g) { return std::optional(name(g).substr(name(g).rfind('/') + 1)); });
    if (same && same->empty()) return {};
    return nodes_.any(std::string(same ? *same : fold_.graph.model().node(body_.steps[i].index).op_type()));
  }

  const Fold& fold_;
  const Function& function_;
  const Body& body_;
  Unused calls_{':'}, nodes_{'_'};
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
  Unused unused('_');
  for (const onnx::Graph& graph : fold.map.model().graphs())
    if (graph.kind == onnx::Graph::Kind::function && graph.domain == hierarchy::folded_domain)
      unused.take(std::string(graph.name));
  for (Function& function : fold.bodies.functions) {
    const ModuleId module = fold.module_of(function.groups.front());
    const std::string label = label_of(tree, module);
    const std::string_view path = tree[module].path;
    function.name = label;
    bool found = bodies[label] == 1 && unused.take(label);
    for (std::size_t at = path.size(); !found && at > 0 && at != std::string_view::npos;) {
      at = path.rfind('.', at - 1);
      function.name = label + "_" + identifier(path.substr(at == std::string_view::npos ? 0 : at + 1));
      found = unused.take(function.name);
    }
    if (!found) function.name = unused.any(function.name);
  }
}

std::vector<std::string> call_names(const Fold& fold) {
  std::vector<std::string> names(fold.cut.groups.size());
  Unused unused(':');
  for (GroupId group = 1; group < names.size(); ++group)
    if (fold.bodies.of[group].function != onnx::none)
      names[group] = unused.any(std::string(fold.path_of(group)));
  return names;
}

BodyNames names_in(const Fold& fold, const Function& function, const std::vector<std::string>& calls) {
  if (function.shared()) return SharedNames(fold, function).run();
  const Body& body = fold.bodies.of[function.groups.front()];
  BodyNames names;
  for (const ValueId value : body.values) names.values.emplace_back(fold.graph.model().value_name(value));
  for (const Step& step : body.steps)
    names.steps.emplace_back(step.is_group ? std::string_view(calls[step.index])
                                           : fold.graph.model().node(step.index).name());
  return names;
}

}  // namespace thence::edit
