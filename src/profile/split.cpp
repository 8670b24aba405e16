// Divides the time of fused kernels among the modules of their members.

#include <algorithm>
#include <map>

#include "profile/join.h"
#include "shapes/infer.h"

namespace thence::profile {
namespace {

// A number in which every named size counts as 1.
double plain(const shapes::Sizes& sizes, shapes::Size size) {
  if (!size.known()) return 0;
  const shapes::Polynomial polynomial = sizes.polynomial(size);
  auto value = static_cast<double>(polynomial.number());
  for (const shapes::Term& term : polynomial.terms()) value += static_cast<double>(term.factor);
  return std::max(value, 0.0);
}

class FlopsSplitter {
 public:
  FlopsSplitter(const semantics::Map& map, const semantics::Map* ancestor)
      : map_(map),
        ancestor_(map.ancestor() == nullptr ? nullptr : ancestor),
        inferred_(shapes::infer(ancestor_ == nullptr ? map.model() : ancestor_->model())) {}

  // Floating-point operations by module; empty if they are not known.
  std::map<ModuleId, double> flops_by_module(const KernelMatch& match) const {
    std::map<ModuleId, double> found;
    for (const onnx::NodeId node : match.nodes) {
      if (ancestor_ == nullptr) {
        add(found, map_.answer(node).module, node);
        continue;
      }
      for (const onnx::NodeId origin : map_.ancestor()->nodes_of(node))
        add(found, find_module(ancestor_->own_answer(origin).module), origin);
    }
    return found;
  }

 private:
  void add(std::map<ModuleId, double>& found, ModuleId module, onnx::NodeId node) const {
    const shapes::Work& work = inferred_.work[node];
    const double flops = 2 * plain(inferred_.sizes, work.macs) + plain(inferred_.sizes, work.elementwise);
    if (module != no_module && flops > 0) found[module] += flops;
  }

  // The module of the ancestor, as this map shows it.
  ModuleId find_module(ModuleId of_ancestor) const {
    if (of_ancestor == no_module) return no_module;
    const ModuleId own = map_.own_tree().find(ancestor_->own_tree()[of_ancestor].path);
    return own == no_module ? no_module : map_.shown_as(own);
  }

  const semantics::Map& map_;
  const semantics::Map* ancestor_;
  shapes::InferredShapes inferred_;
};

}  // namespace

void split_by_flops(JoinedProfile& profile, const semantics::Map* ancestor) {
  const FlopsSplitter splitter(*profile.map, ancestor);
  std::vector<Share> shares;
  for (KernelId kernel = 0; kernel < profile.matches.size(); ++kernel) {
    const KernelMatch& match = profile.matches[kernel];
    const std::map<ModuleId, double> flops =
        match.module == no_module ? std::map<ModuleId, double>() : splitter.flops_by_module(match);
    if (flops.size() < 2) {
      shares.push_back({kernel, match.module});
      continue;
    }
    double sum = 0;
    for (const auto& [module, count] : flops) sum += count;
    for (const auto& [module, count] : flops) shares.push_back({kernel, module, count / sum});
  }
  profile.shares = std::move(shares);
}

}  // namespace thence::profile
