// Changes: what differs between the nodes of a group.
#pragma once

#include <string>
#include <vector>

#include "diff/declared.h"
#include "diff/groups.h"
#include "diff/kinds.h"
#include "diff/weights.h"
#include "diff/wiring.h"

namespace thence::diff {

struct Change {
  Kind kind;
  std::string detail;
};

class Changes {
 public:
  Changes(Side& a, Side& b, const Wiring& wiring)
      : a_(a), b_(b), wiring_(wiring), weights_(a, b), declared_a_(a.model), declared_b_(b.model) {}

  std::vector<Change> of(const Group& group);

 private:
  void rewritten(const Group& group);
  void settings(onnx::NodeId a, onnx::NodeId b);
  void shapes(onnx::NodeId a, onnx::NodeId b);
  void add(Kind kind, const std::string& detail);

  Side &a_, &b_;
  const Wiring& wiring_;
  Weights weights_;
  Declared declared_a_, declared_b_;
  std::vector<Change> found_;
};

}  // namespace thence::diff
