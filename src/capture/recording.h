// Recording: what a capture saw of one forward, as a sequence of steps: an execution trace or an FX graph.
// And the exporter's own module map, which needs no projection.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "modules/module_tree.h"

namespace thence::capture {

using modules::ModuleId;
using modules::ModuleTree;
using modules::no_module;

/// A tensor that was seen.
struct RecordedValue {
  std::vector<std::int64_t> shape;  // -1 for a dimension that may vary
  bool has_shape = false;
  std::uint32_t parameter = 0xffffffff;  // in Recording::parameters
  std::uint32_t made_by = 0xffffffff;    // the step that made or changed it last; none: it was given
};

/// Something that happened.
struct RecordedStep {
  enum class Kind : std::uint8_t { operation, size };
  Kind kind = Kind::operation;
  std::uint32_t word = 0;       // in Recording::words: the operation, or `size`
  ModuleId module = no_module;  // none: it is part of the story, and nobody knows whose
  std::uint32_t call = 0;
  bool relabelled = false;  // it was heard running, and the exporter's stack tells another module
  std::uint32_t first_input = 0, first_output = 0;  // in Recording::links
};

class Recording {
 public:
  std::vector<std::string> words;
  std::vector<std::string> parameters;  // paths
  std::vector<RecordedValue> values;
  std::vector<RecordedStep> steps;
  std::vector<std::uint32_t> links;  // numbers of values: for each step its inputs, then its outputs
  std::vector<std::uint32_t> made;   // beside links, for inputs: the step that had made the value by then

  std::span<const std::uint32_t> inputs(std::size_t step) const {
    return std::span(links).subspan(steps[step].first_input,
                                    steps[step].first_output - steps[step].first_input);
  }
  std::span<const std::uint32_t> outputs(std::size_t step) const {
    const std::size_t end = step + 1 < steps.size() ? steps[step + 1].first_input : links.size();
    return std::span(links).subspan(steps[step].first_output, end - steps[step].first_output);
  }
  /// Of its inputs: the steps that made them; 0xffffffff: given.
  std::span<const std::uint32_t> makers(std::size_t step) const {
    return std::span(made).subspan(steps[step].first_input,
                                   steps[step].first_output - steps[step].first_input);
  }
  std::uint32_t word(std::string_view text);
  std::uint32_t parameter(std::string_view path);
  std::optional<std::uint32_t> find_parameter(const std::string& path) const;
  void rename_parameters(const std::function<std::string(const std::string&)>& rename);
  void begin(RecordedStep step);  // then the inputs are pushed to links,
  void begin_outputs();           // then this, then the outputs, whose made_by is then said

 private:
  std::unordered_map<std::string, std::uint32_t> word_numbers_, parameter_numbers_;
};

/// A node of the file that was exported, by name, and the call that it came from.
struct MappedCall {
  ModuleId module = no_module;
  std::uint32_t call = 0;
};
using ModuleMap = std::unordered_map<std::string, MappedCall>;

}  // namespace thence::capture
