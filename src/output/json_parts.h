// Members common to several JSON formats.
#pragma once

#include <vector>

#include "base/json_writer.h"
#include "modules/module_tree.h"
#include "semantics/map.h"

namespace thence::output {

/// The form of an entry of layer_path: ["encoder.layer",3], or an object for readers that require lists of
/// one type.
enum class LayerSteps { pairs, objects };

/// The members `"layer_id":3,"layer_path":[["encoder.layer",3]]`: the repeated blocks around a module.
void write_layers(base::JsonWriter& json, const std::vector<modules::LayerStep>& layers, LayerSteps steps);

/// The member "by_source": the number of nodes decided by each source. Sources without nodes are omitted.
void write_by_source(base::JsonWriter& json, const semantics::Summary& summary);

}  // namespace thence::output
