// Telling: whose step each node is, by all ways in which a recording's story and a file's can be told.
//
// A file that has its nodes in the order in which they ran is told as it stands. One that has not is told
// twice, by anchors and data flow alone; what both are sure of is then held to, and both are told once more.
// Where all four agree there is hardly a doubt.
#pragma once

#include <vector>

#include "capture/capture.h"
#include "match/align.h"
#include "match/order.h"

namespace thence::match {

inline constexpr float likely = 0.7f;  // below it, a node is nobody's

/// A recording and the nodes, both in some order, and how they align in it.
struct Story {
  const capture::Recording* recording = nullptr;
  std::vector<NodeItem> items;
  Alignment alignment;
  std::vector<std::uint32_t> order;  // by step: which one of the recording as it was made
};

/// The call whose steps have the largest chance together. Auxiliary nodes are all over the place: one that no
/// step was seen to become belongs to its readers.
struct Owner {
  std::uint32_t step = 0;
  float chance = 0;
  bool usual = true;
  std::uint8_t tellings = 1;  // that say so
};
std::vector<Owner> owners_of(const Story& story);

bool same_call(const capture::RecordedStep& a, const capture::RecordedStep& b);

class Telling {
 public:
  static constexpr std::uint8_t all_tellings = 4;  // of a file that is not in order

  Telling(const capture::Recording& recording, const onnx::Model& model, const capture::Capture& capture);
  Telling(const Telling&) = delete;  // stories refer to its recordings
  Telling& operator=(const Telling&) = delete;

  bool in_order() const { return in_order_; }
  const Story& believed() const { return in_order_ ? in_file_ : needed_; }
  const Story& other() const { return in_order_ ? needed_ : possible_; }
  /// Of the believed story's items; in a file that is not in order, those that most tellings name.
  const std::vector<Owner>& owners() const { return owners_; }

 private:
  void tell_by_flow(const onnx::Model& model);
  Story told(const onnx::Model& model, const std::vector<Anchor>& anchors, When when,
             capture::Recording& reordered) const;
  std::vector<Anchor> agreed_anchors() const;

  const Correspondence* habits_ = nullptr;  // the likeliest
  Story in_file_, needed_, possible_;
  capture::Recording recorded_needed_, recorded_possible_;  // the recording in these orders
  std::vector<Owner> owners_;
  bool in_order_ = true;
};

}  // namespace thence::match
