// A capture: data recorded from a live PyTorch model (schema/capture.schema.json), or read from a program
// that was saved from it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/mapped_file.h"
#include "base/result.h"
#include "capture/packed_weight.h"
#include "capture/recording.h"
#include "modules/module_tree.h"

namespace thence::capture {

struct CapturedParameter {
  std::string path;
  std::vector<std::string> aliases;        // other paths of the same tensor
  std::vector<std::int64_t> dims;          // if `has_dims`
  bool has_dims = false;                   // false if a dimension is not a number, or none are recorded
  std::string dtype;                       // PyTorch's name of it; empty if unknown
  bool is_buffer = false;                  // not trained: a running mean, a table of positions
  std::optional<std::uint64_t> exact;      // ContentHash::exact of its data, if a capture file has it
  std::optional<std::uint64_t> unordered;  // ContentHash::unordered, likewise
  std::vector<std::uint16_t> samples;      // some of its elements in half precision, likewise
  /// The data itself, if an archive or files of weights have it: one piece, or several in order. An archive
  /// may store it transposed; several pieces are in row-major order.
  std::vector<std::string_view> pieces;
  unsigned width = 0;  // bytes per element of `pieces`
  std::optional<PackedWeight> packed;  // its data, if files of weights have it in few bits

  /// The data if it is in one piece, else empty.
  std::string_view data() const { return pieces.size() == 1 ? pieces.front() : std::string_view(); }
  /// The number of elements of `pieces`; 0 without data.
  std::uint64_t data_elements() const;
  /// ContentHash::unordered of its data. Reads the data on demand.
  std::optional<std::uint64_t> content_hash() const;
};

struct Capture {
  ModuleTree tree;
  std::vector<CapturedParameter> parameters;
  std::optional<Recording> trace;  // the section execution_trace
  std::optional<Recording> fx;     // the section fx_graph
  std::optional<ModuleMap> module_map;
  /// If the map's names are numbers of nodes, which another export gives to other nodes: the operators of the
  /// graph that it is for, and how many nodes each has.
  std::map<std::string, std::uint64_t, std::less<>> module_map_operators;
  std::vector<std::string> sections;    // the names of all sections in the file, read or not
  std::vector<base::MappedFile> files;  // contain the data of the parameters
};

/// Reads a capture file or the archive of a saved program; the first bytes distinguish them. Sections of an
/// unknown later version are skipped with a diagnostic. The hierarchy section is required.
Result<Capture> open_capture(const std::string& path, Diagnostics& diagnostics);
/// The bytes must outlive the capture.
Result<Capture> read_capture(std::string_view text, const std::string& label, Diagnostics& diagnostics);

/// A saved model that was not run: its folder, or its configuration in a folder without files of weights.
struct Checkpoint {
  std::string path;         // as the user names it
  std::string description;  // a capture file with its modules, and the section `weights` for its files
};
/// Messages name the path of the checkpoint. The parameters have data if the checkpoint has their files.
Result<Capture> read_checkpoint(const Checkpoint& checkpoint, Diagnostics& diagnostics);

}  // namespace thence::capture
