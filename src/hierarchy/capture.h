// A capture file: what a live PyTorch model told about itself (schema/capture.schema.json).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "hierarchy/module_tree.h"
#include "hierarchy/recording.h"
#include "onnx/model.h"

namespace thence::hierarchy {

struct CapturedParameter {
  std::string path;
  std::vector<std::string> aliases;        // further paths of the same tensor
  std::optional<std::uint64_t> unordered;  // Content::unordered of its data
};

struct Capture {
  ModuleTree tree;
  std::vector<CapturedParameter> parameters;
  std::optional<Recording> trace;  // the section execution_trace
  std::optional<Recording> fx;     // the section fx_graph
  std::optional<ModuleMap> module_map;
  std::vector<std::string> sections;  // the names of all sections in the file, those read and those not
};

/// Reads a capture file. Sections of a later version than this program knows are left out, with a diagnostic;
/// without a hierarchy it is no use to us.
Result<Capture> open_capture(const std::string& path, Diagnostics& diagnostics);
Result<Capture> read_capture(std::string_view text, const std::string& label, Diagnostics& diagnostics);

/// An error when the capture is clearly of another model than `model`: the model names many parameters and
/// the capture knows none of them.
std::optional<Error> check_same_model(const Capture& capture, const onnx::Model& model,
                                      const std::string& label);

}  // namespace thence::hierarchy
