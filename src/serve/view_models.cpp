#include "serve/view_models.h"

#include "base/format.h"

namespace thence::serve {
namespace {

Overlay beside(const Overlay& overlay) {
  return {.comparison = overlay.comparison, .side = other_side(overlay.side)};
}

}  // namespace

ViewModels::ViewModels(const semantics::Map& map, Overlay overlay) : main_(map, std::move(overlay)) {}

ViewModels::ViewModels(const semantics::Map& map, const semantics::Map& other, Overlay overlay)
    : main_(map, std::move(overlay)) {
  other_.emplace(other, beside(main_.overlay()));
}

Result<std::string> ViewModels::answer(std::string_view question, const Parameters& parameters) const {
  const auto side = parameters.find("side");
  const bool asks_other = other_ && side != parameters.end() && side->second == "other";
  const ViewData& asked = asks_other ? *other_ : main_;
  return question == "counterparts" ? counterparts(asked, parameters) : asked.answer(question, parameters);
}

// Nodes without a module correspond as one module.
std::optional<ModuleId> ViewModels::counterpart(const ViewData& asked, ModuleId module) const {
  const ViewData& beside = &asked == &main_ ? *other_ : main_;
  const bool is_unknown = module == asked.outline().unknown();
  const std::optional<ModuleId> found =
      is_unknown ? beside.outline().unknown()
                 : asked.overlay().comparison->counterpart(asked.overlay().side, module);
  if (!found || beside.outline().range(*found).size() == 0) return std::nullopt;
  return found;
}

Result<std::string> ViewModels::counterparts(const ViewData& asked, const Parameters& parameters) const {
  std::vector<std::string> ids;
  if (other_) {
    const auto name = parameters.find("id");
    const std::optional<Box> box = name == parameters.end() ? std::nullopt : asked.boxes().find(name->second);
    if (const std::optional<onnx::NodeId> node = asked.find_node(parameters)) {
      for (const onnx::NodeId one : asked.overlay().comparison->counterparts(asked.overlay().side, *node))
        ids.push_back(base::format("n{}", one));
    } else if (box && !box->chunk) {
      if (const std::optional<ModuleId> found = counterpart(asked, box->module))
        ids.push_back(base::format("m{}", *found));
    }
  }
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.array<"ids">(ids);
  json.end_object();
  return text;
}

void ViewModels::write_links(base::JsonWriter& json) const {
  const Overlay& overlay = main_.overlay();
  json.begin_object();
  json.begin_object<"modules">();
  for (ModuleId module = 0; module < main_.outline().module_count(); ++module)
    if (main_.outline().range(module).size() > 0)
      if (const std::optional<ModuleId> found = counterpart(main_, module)) {
        json.key(base::format("m{}", module));
        json.value(base::format("m{}", *found));
      }
  json.end_object();
  json.begin_object<"nodes">();
  for (onnx::NodeId node = 0; node < main_.map().model().node_count(); ++node) {
    const std::vector<onnx::NodeId> found = overlay.comparison->counterparts(overlay.side, node);
    if (found.empty()) continue;
    json.key(base::format("n{}", node));
    json.begin_array();
    for (const onnx::NodeId one : found) json.value(base::format("n{}", one));
    json.end_array();
  }
  json.end_object();
  json.end_object();
}

}  // namespace thence::serve
