// Members that several JSON formats share.
#pragma once

#include <vector>

#include "base/json_writer.h"
#include "modules/module_tree.h"
#include "semantics/map.h"

namespace thence::output {

/// An entry of layer_path: ["encoder.layer",3], or for readers whose lists hold one type an object.
enum class LayerSteps { pairs, objects };

/// The members `"layer_id":3,"layer_path":[["encoder.layer",3]]`: the repeated blocks around a module.
void write_layers(base::JsonWriter& json, const std::vector<modules::LayerStep>& layers, LayerSteps steps);

/// The member "by_source": how many nodes each source decides; those that decide none are left out.
void write_by_source(base::JsonWriter& json, const semantics::Summary& summary);

}  // namespace thence::output
