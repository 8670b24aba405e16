// The common parts of SARIF logs of maps and of comparisons. Write a log in this order: begin_sarif(), one
// rule per kind of result, begin_results(), the results, end_sarif().
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "onnx/model.h"

namespace thence::output {

/// Writes the tool, up to the list of its rules.
void begin_sarif(base::JsonWriter& json);
void write_sarif_rule(base::JsonWriter& json, std::string_view id, std::string_view text,
                      std::string_view level);
/// Ends the rules, lists the files, and begins the list of results.
void begin_results(base::JsonWriter& json, std::span<const onnx::Model* const> models);
void end_sarif(base::JsonWriter& json);

/// The members "ruleId" to "message" of a result.
void write_sarif_message(base::JsonWriter& json, std::string_view rule, std::size_t index,
                         std::string_view level, std::string_view message);
/// Begins a location, its file and "logicalLocations". `file` is the index of the model among the log's
/// files; a null `node` means the whole model.
void begin_sarif_location(base::JsonWriter& json, const onnx::Model& model, std::size_t file,
                          const onnx::Node* node);
void end_sarif_location(base::JsonWriter& json);

}  // namespace thence::output
