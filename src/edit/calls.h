// Calls: how often each module runs, and in which call of a module around it.
#pragma once

#include <cstdint>
#include <vector>

#include "semantics/map.h"

namespace thence::edit {

/// As often as the capture says, or as a module's nodes tell. One without nodes of its own runs as often as
/// the one within it that runs the least.
class Calls {
 public:
  explicit Calls(const semantics::Map& map);

  std::uint32_t of(modules::ModuleId module) const { return calls_[module]; }
  /// A call of a module, as a call of one around it: inner modules run as often as outer ones, or a multiple.
  std::uint32_t around(modules::ModuleId inner, std::uint32_t call, modules::ModuleId outer) const;

 private:
  std::vector<std::uint32_t> calls_;
};

}  // namespace thence::edit
