#include "edit/call_counts.h"

#include <algorithm>
#include <limits>

namespace thence::edit {

using modules::ModuleId;

CallCounts::CallCounts(const semantics::Map& map) : calls_(map.tree().size(), 0) {
  const modules::ModuleTree& tree = map.tree();
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id)
    if (const resolve::Attribution& answer = map.answer(id); answer.known())
      calls_[answer.module] = std::max(calls_[answer.module], answer.call().value_or(0) + 1);
  constexpr std::uint32_t no_count = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> min_calls_within(tree.size(), no_count);
  for (auto module = static_cast<ModuleId>(tree.size()); module-- > 0;) {  // inner modules come first
    std::uint32_t& calls = calls_[module];
    const std::uint32_t least =
        calls > 0 ? std::min(calls, min_calls_within[module]) : min_calls_within[module];
    if (module != modules::root) {
      std::uint32_t& outer = min_calls_within[tree[module].parent];
      outer = std::min(outer, least);
    }
    if (calls == 0 && min_calls_within[module] != no_count) calls = min_calls_within[module];
    calls = std::max(tree[module].calls.value_or(calls), 1u);
  }
}

modules::CallNumber CallCounts::enclosing_call(ModuleId inner, modules::CallNumber call,
                                               ModuleId outer) const {
  const std::uint32_t all = count(outer);
  if (all <= 1) return 0;
  if (!call) return std::nullopt;
  return *call / std::max(count(inner) / all, 1u);
}

}  // namespace thence::edit
