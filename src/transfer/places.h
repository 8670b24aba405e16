// Places: which of the ancestor's constants and sizes a node stands for, told by where its result is read.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/grouped.h"
#include "transfer/net.h"
#include "transfer/origins.h"
#include "transfer/value_names.h"

namespace thence::transfer {

/// The nodes that read each value.
using ValueReaders = base::Grouped<onnx::NodeId>;
ValueReaders value_readers(const onnx::Model& model);

/// Asked from the last node to the first, while the origins of later ones become known.
class Places {
 public:
  struct Known {  // of the descendant, but for the names
    const ValueReaders& readers;
    const ValueNames& names;
    const std::vector<Origin>& origins;
  };
  Places(const Net& ancestor, const Net& descendant, Known known);

  /// What the partners of its readers read in the same place, made by the same operator of constants and
  /// sizes; for a cast or the like that was put in, what it carries, and for a constant, what it was folded
  /// of. Where one of them reads something else, what has its name, if that is borne out. Unknown otherwise.
  Origin of(onnx::NodeId id);

 private:
  using Values = std::vector<onnx::ValueId>;

  Origin by_place(onnx::NodeId id);
  Origin by_name(onnx::NodeId id) const;
  bool passes_on(onnx::NodeId id) const;
  bool is_computed(onnx::ValueId value) const;
  bool is_folded(const onnx::Node& node, const std::vector<onnx::NodeId>& theirs) const;
  bool read_there(onnx::ValueId value, Values& found) const;
  bool read_by_partner(onnx::NodeId reader, onnx::ValueId value, Values& found) const;
  onnx::NodeId maker(onnx::ValueId theirs, std::string_view op) const;
  bool reads_alike(const onnx::Node& ours, const onnx::Node& theirs) const;
  bool is_read_alike(onnx::ValueId ours, onnx::ValueId theirs) const;

  const Net &a_, &d_;
  const Known known_;
  std::unordered_map<onnx::NodeId, Values> carried_;  // by node that passes on what it reads
};

}  // namespace thence::transfer
