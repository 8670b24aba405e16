// Joins the kernels of a recording with the nodes and modules of a map.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/recording.h"
#include "semantics/map.h"

namespace thence::profile {

using modules::ModuleId;
using modules::no_module;

/// How a kernel was found in the model, or why not.
enum class MatchKind : std::uint8_t {
  name,           // a node has the kernel's name
  index,          // a node without a name has the position that the runtime prints
  runtime_names,  // the runtime lists the nodes that it fused
  derived_name,   // the runtime derived the kernel's name from that of a node
  range,          // the runtime names the first and the last of its nodes
  not_in_model,   // no node has the name
  ambiguous,      // nodes of several modules have the name
};
std::string_view name_of(MatchKind kind);
inline bool is_match(MatchKind kind) { return kind < MatchKind::not_in_model; }

struct KernelMatch {
  MatchKind kind = MatchKind::not_in_model;
  std::vector<onnx::NodeId> nodes;  // the primary first
  ModuleId module = no_module;      // no_module also if the map does not know the node's
};

/// A part of a kernel's time, and the module that it counts for.
struct Share {
  KernelId kernel = 0;
  ModuleId module = no_module;
  double fraction = 1;
};

struct JoinedProfile {
  const semantics::Map* map = nullptr;
  Recording recording;
  std::vector<KernelMatch> matches;              // by kernel
  std::vector<Share> shares;                     // one per kernel, unless the kernel's time is divided
  std::vector<std::uint32_t> first_sample = {};  // by kernel, with an extra entry at the end

  std::size_t matched_kernels() const;
  double unexplained_microseconds() const;
};

/// The map outlives the result. An error if the profile is of another model.
Result<JoinedProfile> join(const semantics::Map& map, Recording recording);

/// Divides the time of each fused kernel among the modules of its members, in proportion to their
/// floating-point operations. `ancestor`: the map of the model that this one was made from; may be null.
void split_by_flops(JoinedProfile& profile, const semantics::Map* ancestor);

/// Every module that a kernel belongs to, the primary first.
std::vector<ModuleId> modules_of(const JoinedProfile& profile, KernelId kernel);

}  // namespace thence::profile
