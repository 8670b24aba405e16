// Profiles of TensorRT: the times of `--exportProfile`, and the layer information of `--exportLayerInfo`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "profile/recording_builder.h"

namespace thence::profile {

/// The nodes of each layer, by the layer's name.
using LayerNodes = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Reads the layer information, which has no times.
std::optional<Error> read_layer_information(base::JsonValue root, LayerNodes& layers);

bool is_layer_time(base::JsonValue item);
/// Reads an item of the profile: the number of runs, or the time of a layer over all of them.
std::optional<Error> read_layer_time(base::JsonValue item, const LayerNodes& layers,
                                     RecordingBuilder& builder);

/// The nodes that the name of a layer has: "a + b", "{ForeignNode[a...b]}", which gives the range "a...b",
/// and "PWN(a, b)".
std::vector<std::string> nodes_in_layer_name(std::string_view name);
/// The nodes in "[ONNX Layer: a]\x1e[ONNX Layer: b]".
std::vector<std::string> nodes_in_metadata(std::string_view metadata);

}  // namespace thence::profile
