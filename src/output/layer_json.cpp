#include "output/layer_json.h"

#include "output/json_text.h"

namespace thence::output {

using namespace std::string_view_literals;

void append_layers(std::string& text, const std::vector<modules::LayerStep>& layers, LayerSteps steps) {
  const bool pairs = steps == LayerSteps::pairs;
  text.append(R"("layer_id":)"sv);
  if (layers.empty())
    text.append("null"sv);
  else
    append_number(text, layers.front().index);
  text.append(R"(,"layer_path":[)"sv);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) text.push_back(',');
    text.append(pairs ? "["sv : R"({"container":)"sv);
    append_json_string(text, layers[i].container);
    text.append(pairs ? ","sv : R"(,"index":)"sv);
    append_number(text, layers[i].index);
    text.push_back(pairs ? ']' : '}');
  }
  text.push_back(']');
}

}  // namespace thence::output
