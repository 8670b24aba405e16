#include "profile/join.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "profile/node_names.h"
#include "profile/node_range.h"
#include "profile/thresholds.h"

namespace thence::profile {
namespace {

using onnx::NodeId;

class KernelMatcher {
 public:
  KernelMatcher(const semantics::Map& map, const Recording& recording)
      : map_(map), model_(map.model()), recording_(recording), names_(model_) {}

  KernelMatch match(const Kernel& kernel) {
    KernelMatch found = match_name(kernel, kernel.name);
    if (!kernel.node_names.empty()) found = match_members(kernel, std::move(found));
    if (found.kind == MatchKind::not_in_model) found = match_index(kernel);
    if (found.kind == MatchKind::not_in_model)
      found = choose(kernel, names_.derived(kernel.name), MatchKind::derived_name);
    return found;
  }

 private:
  KernelMatch match_name(const Kernel& kernel, std::string_view name) {
    return name.empty() ? KernelMatch() : choose(kernel, names_.named(name), MatchKind::name);
  }

  // Whether a node is in a body of the kernel that the runtime ran this one in.
  bool is_in_parent(NodeId node, const Kernel& kernel) const {
    const onnx::Graph& graph = model_.graphs()[model_.node(node).graph()];
    if (kernel.parent.empty() || graph.owner == onnx::none)
      return kernel.parent.empty() && graph.owner == onnx::none;
    const onnx::Node owner = model_.node(graph.owner);
    return owner.name() == kernel.parent ||
           (owner.name().empty() && kernel.parent == base::format("{}_{}", owner.op_type(), owner.index()));
  }

  // One of the candidates; those in the right graph and with the right operator come first.
  KernelMatch choose(const Kernel& kernel, std::span<const NodeId> candidates, MatchKind kind) const {
    if (candidates.empty()) return {};
    std::vector<NodeId> left(candidates.begin(), candidates.end());
    const auto prefer = [&](const auto& is_preferred) {
      std::vector<NodeId> preferred;
      std::copy_if(left.begin(), left.end(), std::back_inserter(preferred), is_preferred);
      if (!preferred.empty()) left = std::move(preferred);
    };
    if (left.size() > 1) prefer([&](NodeId node) { return is_in_parent(node, kernel); });
    if (left.size() > 1) prefer([&](NodeId node) { return model_.node(node).op_type() == kernel.op_type; });
    const ModuleId module = map_.answer(left.front()).module;
    const bool is_unique = std::all_of(left.begin(), left.end(),
                                       [&](NodeId node) { return map_.answer(node).module == module; });
    if (!is_unique) return {MatchKind::ambiguous, std::move(left), no_module};
    return {kind, {left.front()}, module};
  }

  // The kernel's own name is that of its last member, which writes its output. Otherwise the last member
  // counts.
  KernelMatch match_members(const Kernel& kernel, KernelMatch own) {
    KernelMatch found = is_match(own.kind) ? own : KernelMatch();
    for (auto name = kernel.node_names.rbegin(); name != kernel.node_names.rend(); ++name) {
      if (const std::size_t dots = name->find("..."); dots != std::string::npos) {
        add_range(kernel, name->substr(0, dots), name->substr(dots + 3), found);
        continue;
      }
      KernelMatch member = match_name(kernel, *name);
      if (member.kind == MatchKind::not_in_model)
        member = choose(kernel, names_.derived(*name), MatchKind::derived_name);
      if (!is_match(member.kind)) continue;
      if (!is_match(found.kind)) found.module = member.module;
      if (found.kind != MatchKind::range) found.kind = MatchKind::runtime_names;
      if (std::find(found.nodes.begin(), found.nodes.end(), member.nodes.front()) == found.nodes.end())
        found.nodes.push_back(member.nodes.front());
    }
    return is_match(found.kind) || own.kind == MatchKind::not_in_model ? found : own;
  }

  // A range of nodes may span layers: it counts for the nearest module around all of them.
  void add_range(const Kernel& kernel, const std::string& first, const std::string& last,
                 KernelMatch& found) {
    const KernelMatch from = match_name(kernel, first), to = match_name(kernel, last);
    if (!is_match(from.kind) || !is_match(to.kind)) return;
    const std::vector<NodeId> between =
        nodes_between(model_, from.nodes.front(), to.nodes.front(), range_steps_);
    ModuleId common = is_match(found.kind) ? found.module : map_.answer(to.nodes.front()).module;
    for (const NodeId node : between) {
      const ModuleId module = map_.answer(node).module;
      if (module != no_module)
        common = common == no_module ? module : map_.tree().nearest_common_module(common, module);
    }
    found.kind = MatchKind::range;
    found.module = common;
    found.nodes.insert(found.nodes.end(), between.begin(), between.end());
  }

  // onnxruntime names a node without a name by its operator and position, which are those of the file if the
  // runtime did not change the graph.
  KernelMatch match_index(const Kernel& kernel) {
    if (kernel.node_index == no_kernel ||
        kernel.name != base::format("{}_{}", kernel.op_type, kernel.node_index) || !are_indices_kept())
      return {};
    std::vector<NodeId> candidates = names_.unnamed(kernel.node_index);
    std::erase_if(candidates, [&](NodeId node) {
      return model_.node(node).op_type() != kernel.op_type || !is_in_parent(node, kernel);
    });
    return choose(kernel, candidates, MatchKind::index);
  }

  // Whether the named kernels have the positions of their nodes.
  bool are_indices_kept() {
    if (are_indices_kept_) return *are_indices_kept_;
    are_indices_kept_ =
        std::all_of(recording_.kernels.begin(), recording_.kernels.end(), [&](const Kernel& kernel) {
          if (kernel.node_index == no_kernel) return true;
          const auto nodes = names_.named(kernel.name);
          return nodes.size() != 1 || model_.node(nodes.front()).index() == kernel.node_index;
        });
    return *are_indices_kept_;
  }

  const semantics::Map& map_;
  const onnx::Model& model_;
  const Recording& recording_;
  NodeNames names_;
  std::optional<bool> are_indices_kept_;
  std::size_t range_steps_ = max_range_steps;
};

std::vector<std::uint32_t> index_samples(const Recording& recording) {
  std::vector<std::uint32_t> first(recording.kernels.size() + 1);
  for (const Sample& sample : recording.samples) ++first[sample.kernel + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  return first;
}

}  // namespace

std::string_view name_of(MatchKind kind) {
  switch (kind) {
    case MatchKind::name: return "name";
    case MatchKind::index: return "index";
    case MatchKind::runtime_names: return "runtime_names";
    case MatchKind::derived_name: return "derived_name";
    case MatchKind::range: return "range";
    case MatchKind::not_in_model: return "not_in_model";
    case MatchKind::ambiguous: return "ambiguous";
  }
  return "";
}

std::size_t JoinedProfile::matched_kernels() const {
  return static_cast<std::size_t>(std::count_if(
      matches.begin(), matches.end(), [](const KernelMatch& match) { return is_match(match.kind); }));
}

double JoinedProfile::unexplained_microseconds() const {
  double sum = 0;
  for (const Share& share : shares)
    if (share.module == no_module) sum += share.fraction * recording.kernels[share.kernel].microseconds;
  return sum;
}

Result<JoinedProfile> join(const semantics::Map& map, Recording recording) {
  JoinedProfile profile{.map = &map, .recording = std::move(recording), .matches = {}, .shares = {}};
  KernelMatcher matcher(map, profile.recording);
  for (const Kernel& kernel : profile.recording.kernels) {
    profile.matches.push_back(matcher.match(kernel));
    profile.shares.push_back(
        {static_cast<KernelId>(profile.matches.size() - 1), profile.matches.back().module});
  }
  profile.first_sample = index_samples(profile.recording);
  const std::size_t matched = profile.matched_kernels(), all = profile.matches.size();
  if (static_cast<double>(matched) >= min_matched_share * static_cast<double>(all)) return profile;
  return Error{
      ErrorKind::difference, "K005",
      base::format("the profile is of another model: {} of {} kernels ({:.0f}%) have a name in {}", matched,
                   all, 100.0 * static_cast<double>(matched) / static_cast<double>(all),
                   base::printable(map.model().file())),
      "give the file that ran; if the runtime optimised it, save the optimised model and name the original "
      "with --ancestor"};
}

std::vector<ModuleId> modules_of(const JoinedProfile& profile, KernelId kernel) {
  const KernelMatch& match = profile.matches[kernel];
  std::vector<ModuleId> found;
  if (match.module != no_module) found.push_back(match.module);
  for (const onnx::NodeId node : match.nodes)
    for (const ModuleId module : profile.map->modules_of(node))
      if (module != no_module && std::find(found.begin(), found.end(), module) == found.end())
        found.push_back(module);
  return found;
}

}  // namespace thence::profile
