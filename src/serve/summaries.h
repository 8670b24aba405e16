// Summaries: what a closed box shows: counts, role, class, parameters, bytes, FLOPs, levels and sources.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "output/tally.h"
#include "serve/boxes.h"
#include "serve/overlay.h"

namespace thence::serve {

/// Nodes by level of confidence: high, medium, low, none.
inline constexpr std::size_t level_count = 4;

struct Summary {
  std::uint64_t nodes = 0, parameters = 0, bytes = 0;
  double flops = 0;            // named sizes count as 1
  bool flops_partial = false;  // the FLOPs of some nodes are not known
  double confidence = 0;       // the sum over the nodes
  std::array<std::uint32_t, level_count> levels{};
  std::array<std::uint32_t, evidence::source_count> sources{};
  OverlayAmounts overlay = {};

  void include(const Summary& other);
};

class Summaries {
 public:
  Summaries(const semantics::Map& map, const Outline& outline, const shapes::InferredShapes& inferred,
            const Overlay& overlay);

  const Summary& of(ModuleId module) const { return modules_[module]; }
  const output::Tallies& tallies() const { return tallies_; }
  Summary of_node(onnx::NodeId node) const;
  /// Of a stack or a chunk: the sum of its members.
  Summary of_item(const Item& item) const;

  /// Writes the members of an item: kind, id, name, what it contains, and where its nodes are.
  void write(const Item& item, ModuleId around, base::JsonWriter& json) const;
  void write_module(ModuleId module, base::JsonWriter& json) const;

 private:
  void write_node(onnx::NodeId node, base::JsonWriter& json) const;
  void write_summary(const Summary& summary, base::JsonWriter& json) const;
  void write_role(ModuleId module, base::JsonWriter& json) const;
  void write_stack(const Item& item, base::JsonWriter& json) const;

  const semantics::Map& map_;
  const Outline& outline_;
  const shapes::InferredShapes& inferred_;
  const Overlay& overlay_;
  output::Tallies tallies_;
  std::vector<Summary> modules_;
};

/// Text of at most `limit` bytes, cut between characters.
std::string cut_text(std::string_view text, std::size_t limit);
/// The name of a file without its folder, cut likewise.
std::string shown_file(std::string_view path);
std::size_t level_number(const resolve::Attribution& answer);
void write_ranges(const std::vector<Range>& ranges, base::JsonWriter& json);

}  // namespace thence::serve
