// RecordingAligner: assigns each node of a model to a recorded operation.
//
// A file that keeps the order in which its nodes ran is aligned as it is. If the order is lost, recording and
// nodes are put into an ALAP and an ASAP order and aligned in both; pairs that both alignments are certain of
// become anchors, and both are repeated. The four alignments vote.
#pragma once

#include <vector>

#include "capture/capture.h"
#include "match/align.h"
#include "match/reorder.h"

namespace thence::match {

/// A recording and the nodes, both in some order, and their alignment.
struct AlignmentPass {
  const capture::Recording* recording = nullptr;
  std::vector<NodeItem> items;
  Alignment alignment;
  std::vector<std::uint32_t> original_steps;  // by step: its number in the recording as it was made
};

/// The call whose steps have the largest posterior together.
struct StepAssignment {
  std::uint32_t step = 0;
  float probability = 0;
  bool is_typical = true;
  std::uint8_t votes = 1;
};
/// By item. A shape or constant is not assigned if no typical step has a posterior: it belongs to its
/// consumers.
std::vector<StepAssignment> assignments_of(const AlignmentPass& pass);

/// Whether two steps are in the same call of a module; for a node in a loop, whether they are in the same
/// module.
bool is_same_call(const NodeItem& item, const capture::RecordedStep& a, const capture::RecordedStep& b);

class RecordingAligner {
 public:
  /// Alignments that vote on a reordered file.
  static constexpr std::uint8_t alignment_count = 4;

  RecordingAligner(const capture::Recording& recording, const onnx::Model& model,
                   const capture::Capture& capture);
  RecordingAligner(const RecordingAligner&) = delete;  // passes refer to its recordings
  RecordingAligner& operator=(const RecordingAligner&) = delete;

  bool is_file_ordered() const { return is_file_ordered_; }
  const AlignmentPass& preferred() const { return is_file_ordered_ ? in_file_order_ : alap_; }
  const AlignmentPass& alternative() const { return is_file_ordered_ ? alap_ : asap_; }
  /// By item of the preferred pass; in a reordered file, the assignment with the most votes.
  const std::vector<StepAssignment>& assignments() const { return assignments_; }

 private:
  void choose_table(const onnx::Model& model);
  void align_reordered(const onnx::Model& model);
  AlignmentPass align_scheduled(const onnx::Model& model, const std::vector<Anchor>& anchors,
                                Schedule schedule, capture::Recording& reordered) const;
  std::vector<Anchor> collect_agreed_anchors() const;

  const EmissionTable* table_ = nullptr;  // the most probable
  AlignmentPass in_file_order_, alap_, asap_;
  capture::Recording alap_recording_, asap_recording_;
  std::vector<StepAssignment> assignments_;
  bool is_file_ordered_ = true;
};

}  // namespace thence::match
