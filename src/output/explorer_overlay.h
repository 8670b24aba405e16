// Node data of Model Explorer: a number for each node, shown as a colour.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/json_writer.h"
#include "base/writer.h"
#include "onnx/model.h"

namespace thence::output {

struct ExplorerOverlay {
  std::string_view name;
  int digits = 0;
  std::function<std::optional<double>(onnx::NodeId)> value_of;  // nothing: the node has no colour
  std::function<void(base::JsonWriter&)> write_colours;         // members of each graph's object
};

void write_explorer_overlay(const onnx::Model& model, const ExplorerOverlay& overlay, base::Writer& out);

}  // namespace thence::output
