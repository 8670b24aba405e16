// The dynamo exporter folds a norm into the convolution before it. The weight keeps its name, the new bias is
// called "conv.weight_bias", and the node keeps the metadata of the norm.
#include <unordered_map>

#include "base/format.h"
#include "weights/tracer.h"

namespace thence::weights {
namespace {

constexpr std::string_view created_bias_suffix = ".weight_bias", bias_suffix = "_bias";

// The module in the metadata of the convolution that reads a bias; no_module if it has none.
modules::ModuleId module_in_metadata(const Tracer& tracer, std::size_t bias) {
  for (const Consumer& each : tracer.consumers().of(bias))
    if (each.input == 2 && tracer.model().node(each.node).op_type().starts_with("Conv"))
      return tracer.map().hierarchy().stack(each.node).module;
  return modules::no_module;
}

// Appends parameters of a module, except those that a capture does not have.
void append_existing(Tracer& tracer, std::string_view module, std::initializer_list<std::string_view> names,
                     std::vector<std::string>& list) {
  for (const std::string_view name : names) {
    std::string path = base::format("{}.{}", module, name);
    if (tracer.captured().empty() || tracer.captured().find(path) != nullptr) list.push_back(std::move(path));
  }
}

}  // namespace

void trace_folded_norms(Tracer& tracer) {
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < tracer.size(); ++i) by_name.emplace(tracer.name(i), i);
  for (std::size_t i = 0; i < tracer.size(); ++i) {
    const std::string_view name = tracer.name(i);
    if (!name.ends_with(created_bias_suffix) || !tracer.is_open(i)) continue;
    const std::string_view weight = name.substr(0, name.size() - bias_suffix.size());
    const modules::ModuleId norm = module_in_metadata(tracer, i);
    const auto folded = by_name.find(weight);
    if (norm == modules::no_module || folded == by_name.end() || !tracer.is_open(folded->second)) continue;
    const std::string_view path = tracer.map().own_tree()[norm].path;
    if (path == owner_of(weight)) continue;
    std::vector<std::string> of_bias, of_weight{std::string(weight)};
    if (!tracer.captured().empty()) append_existing(tracer, owner_of(weight), {"bias"}, of_bias);
    append_existing(tracer, path, {"bias", "weight", "running_mean", "running_var"}, of_bias);
    append_existing(tracer, path, {"weight", "running_var"}, of_weight);
    if (!of_bias.empty()) tracer.set(i, std::move(of_bias), Transform::folded, WeightSource::metadata);
    tracer.set(folded->second, std::move(of_weight), Transform::folded, WeightSource::metadata);
  }
}

}  // namespace thence::weights
