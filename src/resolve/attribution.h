// Attribution: the verdict on one node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evidence/part.h"
#include "evidence/source.h"
#include "modules/module_tree.h"
#include "resolve/confidence.h"
#include "resolve/decision_rule.h"

namespace thence::resolve {

using modules::ModuleId;
using modules::no_module;

/// Why a node has no module.
enum class Reason : std::uint8_t {
  none,
  no_evidence,          // no evidence names a module for it or for its neighbours
  ambiguous,            // the evidence fits several modules equally
  between_layers,       // it lies between two layers, and no evidence decides
  feeds_several,        // it feeds modules that have only the root in common
  several_call_sites,   // a function's body that several modules share
  unused_function,      // the body of a function that no node calls
  not_in_capture,       // its name has a module that the capture does not have
  filtered,             // the strategy leaves torch.nn modules out
  past_limits,          // the file names more modules than its size allows
  not_matched,          // nothing of the ancestor is proven to be what it computes
  unknown_in_ancestor,  // what it computes has no module there
  refuted,              // it was matched, but its numbers are not those of the ancestor's tensor
  count,
};
std::string_view name_of(Reason reason);
std::string_view text_of(Reason reason);

struct Attribution {
  ModuleId module = no_module;
  ModuleId weight_owner = no_module;
  ModuleId computing =
      no_module;                 // the member of a fused node that does its multiplications, if not `module`
  std::uint32_t module_set = 0;  // in Resolution::module_sets: the modules that use it; 0: only its own
  float confidence = 0;
  std::uint32_t call_bits : 20 = no_call;  // see call()
  Reason reason : 4 = Reason::no_evidence;
  evidence::Source source : 4 = evidence::Source::count;
  bool is_inferred : 1 = false;           // from neighbours, not from direct evidence
  bool rests_on_alignment : 1 = false;    // rests on an alignment, its own or its neighbours'
  bool is_alignment_ordered : 1 = false;  // and the file keeps the order of the recording
  bool has_more_than_parameters : 1 =
      false;        // rests on names or metadata, its own or its neighbours', not on parameters
  Basis basis = 0;  // of the confidence
  DecisionRule rule = DecisionRule::no_evidence;  // that decided, also if there is no module
  std::uint8_t hops_from_evidence = 0;            // nodes between it and direct evidence

  bool known() const { return module != no_module; }
  /// The module whose operation does the work.
  ModuleId computing_module() const { return computing == no_module ? module : computing; }
  /// An inference is no more certain than what it rests on.
  void set_confidence(Basis what, float at_most = 1) {
    basis = what;
    confidence = std::min(ConfidenceTable::shipped().of(what), at_most);
  }
  /// Which call of `module`; see calls.h.
  modules::CallNumber call() const {
    return call_bits == no_call ? modules::CallNumber() : modules::CallNumber(call_bits);
  }
  /// Only a malicious file has more calls than fit: those are unknown.
  void set_call(modules::CallNumber call) { call_bits = std::min(call.value_or(no_call), no_call) & no_call; }
  static constexpr std::uint32_t no_call = (1u << 20) - 1;
};
static_assert(sizeof(Attribution) == 28);  // there is one for each node

struct Resolution {
  std::vector<Attribution> nodes;
  std::vector<std::vector<ModuleId>> module_sets{{}};  // [0] is empty
  /// By fused node: what each module of its set does in it, where that is known.
  std::unordered_map<onnx::NodeId, std::vector<evidence::Part>> parts;
  std::map<std::string_view, std::size_t>
      filtered_by_class;  // nodes that the strategy filtered, by their module's class
};

}  // namespace thence::resolve
