// Views in a row: the nodes between a value and its root, and which of the ancestor's each of them is.
#pragma once

#include <vector>

#include "transfer/net.h"

namespace thence::transfer {

/// The views between a value and its root, the nearest to the value first.
std::vector<onnx::NodeId> views_above(const Net& net, onnx::ValueId value);

/// Also those beyond steps that do nothing, or that a rewrite left out, until a root. `root`: where that
/// ends.
struct Above {
  std::vector<onnx::NodeId> views;
  Root root;
};
Above views_above(const Net& net, onnx::ValueId value, const LeftOut& gone, Root until);

/// Without those that do nothing, until as many that lay out anew are left: if some are gone, these are.
void leave_out_idle(const Net& net, std::vector<onnx::NodeId>& views, std::size_t left);
/// How many of some views lay out anew.
std::size_t count_reshaping(const Net& net, const std::vector<onnx::NodeId>& views);

/// Whether a view of the descendant may be one of the ancestor's, as far as each tells what it does.
bool may_give_one_form(const Net& descendant, onnx::NodeId ours, const Net& ancestor, onnx::NodeId theirs);

/// Whether both give another shape and nothing else, by other operators: rewriters replace one by the other.
bool reshape_otherwise(const Net& descendant, onnx::NodeId ours, const Net& ancestor, onnx::NodeId theirs);

/// Where each of `ours` stands in `theirs`, both rows above values that are the same.
struct Row {
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::vector<std::size_t> places;  // by view of ours: the place of its partner, or nowhere
  /// Those without a partner: the part of the ancestor's row that lies beside them.
  std::vector<std::pair<std::size_t, std::size_t>> beside;
};
Row in_a_row(const Net& descendant, const std::vector<onnx::NodeId>& ours, const Net& ancestor,
             const std::vector<onnx::NodeId>& theirs);

}  // namespace thence::transfer
