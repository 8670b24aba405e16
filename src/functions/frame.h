// Frame: one instance of a function while its nodes are written into the graph of the caller.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thence::functions {

struct Frame {
  bool renames = false;    // false for the main graph: its nodes keep their names
  bool is_single = false;  // the only instance of its function: names are kept if they are free
  std::string prefix;      // of the names of its nodes and values
  std::string path;        // of the module that a folded function stands for
  std::string origin;      // the ids of the calls: "12.40."; empty if nodes are labelled by names
  std::unordered_map<std::string, std::string> attributes;    // encoded, by parameter of the function
  std::vector<std::pair<std::string, std::string>> metadata;  // of the call: keys, and encoded fields
};

/// The frame's names for the instance that a node calls. The name of a folded call is the path of a module,
/// and its nodes are named as the TorchScript exporter does: "/encoder/layer.0/MatMul". Other instances are
/// named after the call.
void name_frame(Frame& frame, const Frame& caller, bool is_folded, std::string_view call_name,
                std::string_view function);

}  // namespace thence::functions
