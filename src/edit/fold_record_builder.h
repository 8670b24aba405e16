// Builds the record of a folded model, from which `thence unfold` restores the original.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "edit/fold.h"
#include "functions/call_graph.h"
#include "functions/fold_record.h"

namespace thence::edit {

class FoldRecordBuilder {
 public:
  /// `hidden` are the values whose value infos were removed.
  FoldRecordBuilder(const Fold& fold, bool raised_version,
                    const std::unordered_set<std::string_view>& hidden);

  /// The encoded record for a folded model with this structure.
  std::string format(std::uint64_t structure);
  /// Whether the restored file has the same bytes. Otherwise the original has longer encodings than
  /// necessary.
  bool is_exact() const { return is_exact_; }
  /// Whether the record gives back each node of the original.
  bool restores_nodes(const onnx::Model& folded, const functions::CallGraph& calls) const;

 private:
  void expand(GroupId group);
  void add_order();
  void add_model_fields();
  void add_graph_fields(std::string_view graph, const std::unordered_set<std::string_view>& hidden);
  void add_columns();
  void add_step(const Function& function, std::size_t step);
  void add_output_names(const Function& function, std::size_t step);

  const Fold& fold_;
  const onnx::Model& model_;
  functions::FoldRecord record_;
  std::vector<std::uint64_t> expanded_;  // by node: its number if functions are expanded depth-first
  std::uint64_t expanded_count_ = 0;
  std::vector<std::vector<GroupId>> instances_;  // by function, in the same order
  std::unordered_set<onnx::ValueId> given_;      // the outputs of the current function
  std::string columns_;
  bool is_exact_ = true;
};

}  // namespace thence::edit
