// Overlay: what other files add to the nodes of a model: the times of a profile, the drift between two runs,
// and the differences from another model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"
#include "semantics/map.h"
#include "serve/comparison.h"

namespace thence::serve {

/// The error for a file that `command` did not write, or that was damaged later.
Error damaged_overlay(std::string_view command, const std::string& file, std::string_view problem);

/// The times of a profile.
struct Times {
  std::string file, runtime;
  std::uint64_t runs = 0;
  double total = 0, without_node = 0;  // microseconds of one run
  std::vector<double> by_node;         // likewise; a kernel of several nodes counts for its primary one
};

/// Reads a profile of a runtime, or what `thence profile --format json` wrote. An error if it is of another
/// model.
Result<Times> read_times(const semantics::Map& map, const std::string& file);

/// How far the numbers of a module are from those of a reference.
struct Drift {
  bool is_compared = false;
  double error = 0;                  // the relative error of its outputs; may be infinite
  std::optional<double> added = {};  // of the module alone, on the inputs of the reference
  bool is_over = false;              // over the threshold of the file
};
struct Drifts {
  std::string file, reference;
  std::vector<std::optional<Drift>> by_module;  // as in the tree of the map
};

/// Reads what `thence drift --format json` wrote. An error if it is of another model.
Result<Drifts> read_drifts(const semantics::Map& map, const std::string& file);

struct Overlay {
  std::optional<Times> times = {};
  std::optional<Drifts> drifts = {};
  const Comparison* comparison = nullptr;  // with the other model; outlives this
  Side side = Side::after;                 // of this model in the comparison
};

/// The amounts that a node, or the nodes of a box, have in an overlay.
struct OverlayAmounts {
  double time = 0;
  std::uint32_t changed = 0;        // nodes with a difference
  diff::Counts changes{};           // nodes by kind of difference
  std::optional<Drift> drift = {};  // of a module; of several, the largest

  static OverlayAmounts of(const Overlay& overlay, onnx::NodeId node);
  void include(const OverlayAmounts& other);
  /// Writes the members of the overlays that are present.
  void write(const Overlay& overlay, base::JsonWriter& json) const;
};

/// Writes the member "overlays": what each one was read from.
void write_overlays(const Overlay& overlay, base::JsonWriter& json);

}  // namespace thence::serve
