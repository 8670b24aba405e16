// A capture: what a live PyTorch model told about itself (schema/capture.schema.json), or what a program
// saved from it still tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/mapped_file.h"
#include "base/result.h"
#include "capture/recording.h"
#include "modules/module_tree.h"

namespace thence::capture {

struct CapturedParameter {
  std::string path;
  std::vector<std::string> aliases;        // further paths of the same tensor
  std::optional<std::uint64_t> unordered;  // Content::unordered of its data, where a capture file says it
  std::string_view data;                   // or the data itself, where an archive has it,
  unsigned width = 0;                      // and the bytes of an element

  /// Content::unordered of its data: read when it is asked for, and only then.
  std::optional<std::uint64_t> content() const;
};

struct Capture {
  ModuleTree tree;
  std::vector<CapturedParameter> parameters;
  std::optional<Recording> trace;  // the section execution_trace
  std::optional<Recording> fx;     // the section fx_graph
  std::optional<ModuleMap> module_map;
  std::vector<std::string> sections;  // the names of all sections in the file, those read and those not
  base::MappedFile file;              // what the parameters' data lies in
};

/// In bytes: a hundred times what the largest models need.
inline constexpr std::size_t largest_capture = std::size_t{256} << 20;

/// Reads a capture file, or the archive of a saved program, which its first bytes tell apart. Sections of a
/// later version than this program knows are left out, with a diagnostic; without a hierarchy it is no use to
/// us.
Result<Capture> open_capture(const std::string& path, Diagnostics& diagnostics);
/// The bytes must outlive the capture.
Result<Capture> read_capture(std::string_view text, const std::string& label, Diagnostics& diagnostics);

}  // namespace thence::capture
