// Names that survived: which values that nodes write are called the same in two models.
#pragma once

#include <string_view>
#include <vector>

#include "base/text_index.h"
#include "transfer/net.h"

namespace thence::transfer {

class ValueNames {
 public:
  ValueNames(const onnx::Model& ancestor, const onnx::Model& descendant);
  /// The ancestor's value that is called like one of the descendant; none when there is none, or several:
  /// bodies may use a name again.
  onnx::ValueId same(onnx::ValueId ours) const { return same_[ours]; }
  /// The same, or the one from whose name that of the descendant's was derived.
  onnx::ValueId same_or_derived(onnx::ValueId ours) const;
  /// The ancestor's node whose first result is called like a value of the descendant; none when there is
  /// none.
  onnx::NodeId writer(onnx::ValueId ours) const;

 private:
  onnx::ValueId find(std::string_view name) const;
  std::string_view name_of(onnx::ValueId value) const { return ancestor_.value_name(value); }

  const onnx::Model &ancestor_, &descendant_;
  base::TextIndex values_;
  std::vector<bool> several_;        // by value of the ancestor
  std::vector<onnx::ValueId> same_;  // by value of the descendant
};

}  // namespace thence::transfer
