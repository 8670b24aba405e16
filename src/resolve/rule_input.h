// RuleInput: what a rule of decide() may look at, and what it does with it.
#pragma once

#include "resolve/recordings.h"
#include "resolve/resolve.h"

namespace thence::resolve {

struct RuleInput {
  RuleInput(const hierarchy::Hierarchy& the_hierarchy, evidence::SourceSet of_strategy, onnx::NodeId of_node,
            AllEvidence on_node);

  const hierarchy::Hierarchy& hierarchy;
  evidence::SourceSet sources;  // that the strategy uses
  onnx::NodeId node;
  AllEvidence all;
  AllEvidence strongest;  // those of the first source
  // The only one of `strongest`, or the first of them whose module has a parameter that the node reads.
  const evidence::Evidence* candidate = nullptr;
};

bool names_module(AllEvidence all, evidence::Source source, ModuleId module);

/// Both return true: the rule decided. Other sources confirm or contradict the winner, which the confidence
/// reflects.
bool decide_unknown(Reason reason, Verdict& verdict);
bool decide_module(const RuleInput& input, const evidence::Evidence& winner, Verdict& verdict);

}  // namespace thence::resolve
