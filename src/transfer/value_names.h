// ValueNames: values of two models, written by nodes, that have the same name.
#pragma once

#include <string_view>
#include <vector>

#include "base/text_index.h"
#include "onnx/model.h"

namespace thence::transfer {

using onnx::none;

class ValueNames {
 public:
  ValueNames(const onnx::Model& ancestor, const onnx::Model& descendant);
  /// From now on, no value has the name of another.
  void forget();
  /// The ancestor's value with the name of a value of the descendant; none if there is none, or several: two
  /// bodies may use the same name.
  onnx::ValueId value_of_same_name(onnx::ValueId ours) const { return same_name_[ours]; }
  /// The same, or the one from whose name the descendant's is derived.
  onnx::ValueId value_of_same_or_derived_name(onnx::ValueId ours) const;
  /// The ancestor's node whose first output has the name of a value of the descendant, or none.
  onnx::NodeId producer_of_same_name(onnx::ValueId ours) const;

 private:
  onnx::ValueId find(std::string_view name) const;
  std::string_view name_of(onnx::ValueId value) const { return ancestor_.value_name(value); }

  const onnx::Model &ancestor_, &descendant_;
  base::TextIndex values_;
  std::vector<bool> is_ambiguous_;        // by value of the ancestor
  std::vector<onnx::ValueId> same_name_;  // by value of the descendant
};

}  // namespace thence::transfer
