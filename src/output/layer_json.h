// The repeated blocks around a module, as JSON: the fields layer_id and layer_path.
#pragma once

#include <string>
#include <vector>

#include "modules/module_tree.h"

namespace thence::output {

/// An entry of layer_path: ["encoder.layer",3], or for readers whose lists hold one type an object.
enum class LayerSteps { pairs, objects };

/// `"layer_id":3,"layer_path":[["encoder.layer",3]]`
void append_layers(std::string& text, const std::vector<modules::LayerStep>& layers, LayerSteps steps);

}  // namespace thence::output
