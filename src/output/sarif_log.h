// What SARIF logs of maps and of comparisons have in common. A log is written in this order: begin_sarif(),
// a rule for each kind of result, begin_results(), the results, end_sarif().
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "onnx/model.h"

namespace thence::output {

/// The tool, up to the list of its rules.
void begin_sarif(base::JsonWriter& json);
void write_sarif_rule(base::JsonWriter& json, std::string_view id, std::string_view text,
                      std::string_view level);
/// Ends the rules, lists the files, and begins the list of results.
void begin_results(base::JsonWriter& json, std::span<const onnx::Model* const> models);
void end_sarif(base::JsonWriter& json);

/// The members "ruleId" to "message" of a result.
void write_sarif_message(base::JsonWriter& json, std::string_view rule, std::size_t index,
                         std::string_view level, std::string_view message);
/// Begins a location, its file and "logicalLocations". `file` is the model's place among the log's files; no
/// `node` means the model as a whole.
void begin_sarif_location(base::JsonWriter& json, const onnx::Model& model, std::size_t file,
                          const onnx::Node* node);
void end_sarif_location(base::JsonWriter& json);

}  // namespace thence::output
