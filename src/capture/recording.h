// Recording: the operations of one forward run as a sequence: an execution trace or an FX graph. Also the
// module map of the exporter, which needs no alignment.
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

/// A recorded tensor.
struct RecordedValue {
  std::vector<std::int64_t> shape;  // -1 for a dynamic dimension
  bool has_shape = false;
  std::uint32_t parameter = 0xffffffff;  // in Recording::parameters
  std::uint32_t producer = 0xffffffff;   // the last step that wrote it; 0xffffffff for an input
};

/// A recorded event.
struct RecordedStep {
  enum class Kind : std::uint8_t { operation, size };
  Kind kind = Kind::operation;
  std::uint32_t op_name = 0;    // in Recording::op_names: the operation, or `size`
  ModuleId module = no_module;  // no_module: part of the sequence, but of unknown module
  modules::CallNumber call;
  bool relabelled = false;  // this module ran it, but the exporter's stack names another one
  std::uint32_t first_input = 0, first_output = 0;  // in Recording::links
};

class Recording {
 public:
  std::vector<std::string> op_names;
  std::vector<std::string> parameters;  // paths
  std::vector<RecordedValue> values;
  std::vector<RecordedStep> steps;
  std::vector<std::uint32_t> links;  // value numbers: for each step its inputs, then its outputs
  std::vector<std::uint32_t>
      link_producers;  // parallel to links, for inputs: the producing step at that time

  std::span<const std::uint32_t> inputs(std::size_t step) const {
    return std::span(links).subspan(steps[step].first_input,
                                    steps[step].first_output - steps[step].first_input);
  }
  std::span<const std::uint32_t> outputs(std::size_t step) const {
    const std::size_t end = step + 1 < steps.size() ? steps[step + 1].first_input : links.size();
    return std::span(links).subspan(steps[step].first_output, end - steps[step].first_output);
  }
  /// The producing steps of the inputs of a step; 0xffffffff for a given value.
  std::span<const std::uint32_t> input_producers(std::size_t step) const {
    return std::span(link_producers)
        .subspan(steps[step].first_input, steps[step].first_output - steps[step].first_input);
  }
  std::uint32_t intern_op_name(std::string_view text);
  std::uint32_t intern_parameter(std::string_view path);
  std::optional<std::uint32_t> find_parameter(const std::string& path) const;
  void rename_parameters(const std::function<std::string(const std::string&)>& rename);
  void begin_step(RecordedStep step);  // call order: begin_step, push inputs to links,
  void begin_outputs();                // begin_outputs, push outputs and set their producer

 private:
  std::unordered_map<std::string, std::uint32_t> op_name_ids_, parameter_ids_;
};

/// A node of the exported file, by name, and the module call that produced it.
struct MappedCall {
  ModuleId module = no_module;
  modules::CallNumber call;
};
using ModuleMap = std::unordered_map<std::string, MappedCall>;

}  // namespace thence::capture
