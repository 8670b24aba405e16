#include "hierarchy/weight_owners.h"

#include <algorithm>

namespace thence::hierarchy {

bool is_activation_class(std::string_view class_name) {
  return class_name.find(".activation") != std::string_view::npos;
}

bool is_table(const ModuleTree& tree, ModuleId module) {
  return modules::short_class(tree[module].class_name).find("Embedding") != std::string_view::npos;
}

OwnerPaths paths_for(std::string_view op_type, OwnerPaths paths, const ModuleTree& tree) {
  const bool is_lookup = op_type.starts_with("Gather");
  std::stable_partition(paths.begin(), paths.end(),
                        [&](ModuleId path) { return is_table(tree, path) == is_lookup; });
  return paths;
}

WeightOwners::WeightOwners(const onnx::Model& model,
                           const std::vector<capture::CapturedParameter>& parameters, const ModuleTree& tree)
    : held_(reference::find_held_parameters(model, parameters)), owners_(held_.by_initializer.size()) {
  std::vector<OwnerPaths> by_parameter;
  for (const capture::CapturedParameter& parameter : parameters) {
    OwnerPaths& paths = by_parameter.emplace_back();
    const auto add = [&](std::string_view path) {
      const std::size_t dot = path.rfind('.');
      const ModuleId owner =
          tree.find(dot == std::string_view::npos ? std::string_view() : path.substr(0, dot));
      if (owner != modules::no_module) paths.push_back(owner);
    };
    add(parameter.path);
    for (const std::string& alias : parameter.aliases) add(alias);
    with_parameters_.insert(paths.begin(), paths.end());
    if (parameter.dims.size() > 1) with_matrices_.insert(paths.begin(), paths.end());
  }
  for (std::size_t i = 0; i < owners_.size(); ++i)
    for (const std::uint32_t each : held_.by_initializer[i].parameters)
      if (!by_parameter[each].empty()) owners_[i].push_back(by_parameter[each]);
}

ModuleId WeightOwners::activation_in(const ModuleTree& tree, ModuleId outer) const {
  std::vector<ModuleId> found, known;
  for (const ModuleId child : tree[outer].children) {
    const std::string_view class_name = modules::short_class(tree[child].class_name);
    const bool is_skipped = modules::is_torch_nn(tree[child].class_name) &&
                            (class_name.starts_with("Dropout") || class_name == "Identity");
    if (is_skipped || !tree[child].children.empty() || owns_parameters(child)) continue;
    found.push_back(child);
    if (is_activation_class(tree[child].class_name)) known.push_back(child);
  }
  if (known.size() == 1) return known.front();
  return found.size() == 1 ? found.front() : modules::no_module;
}

}  // namespace thence::hierarchy
