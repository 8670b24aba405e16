// CallCounts: the number of runs of each module, and the call of an outer module to which each run belongs.
#pragma once

#include <cstdint>
#include <vector>

#include "semantics/map.h"

namespace thence::edit {

/// The number of runs comes from the capture or from the module's nodes. A module without nodes runs as often
/// as the child module with the fewest runs.
class CallCounts {
 public:
  explicit CallCounts(const semantics::Map& map);

  std::uint32_t count(modules::ModuleId module) const { return calls_[module]; }
  /// Converts a call of an inner module to the call of an outer one. Inner modules run as often as outer
  /// ones, or a multiple of that. Empty if the inner call is unknown and the outer module has several calls.
  modules::CallNumber enclosing_call(modules::ModuleId inner, modules::CallNumber call,
                                     modules::ModuleId outer) const;

 private:
  std::vector<std::uint32_t> calls_;
};

}  // namespace thence::edit
