// Order: nodes back in the order in which a recording saw them, for a file that does not keep it.
#pragma once

#include <vector>

#include "match/align.h"

namespace thence::match {

/// Those of a file, in its order. `readers`: by parameter, the steps that read it.
std::vector<Anchor> anchors_of(const std::vector<NodeItem>& items,
                               const std::vector<std::vector<std::uint32_t>>& readers);

/// The longest part of the anchors whose steps are in order, too.
std::vector<Anchor> in_step(const std::vector<Anchor>& anchors);

/// The share of nodes that stand close before what reads them. Who writes a model as it runs puts nearly all
/// of them there; a file that was sorted anew scatters them.
float kept_close(const onnx::Model& model);

/// Both sequences in an order that depends on the anchors and the data flow alone: everything just before the
/// first that needs it, or right after the last that it is made of.
enum class When : std::uint8_t { needed, possible };
struct Told {
  capture::Recording recording;
  std::vector<NodeItem> items;
  std::vector<std::uint32_t> steps;  // by place: which one of the recording
};
Told told_alike(const capture::Recording& recording, std::vector<NodeItem> items, std::vector<Anchor> anchors,
                When when);

}  // namespace thence::match
