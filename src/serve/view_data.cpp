#include "serve/view_data.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "output/nodes_by_module.h"
#include "serve/limits.h"
#include "serve/node_details.h"
#include "serve/search.h"
#include "serve/weight_statistics.h"

namespace thence::serve {
namespace {

using base::JsonWriter;

std::string_view get(const Parameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string_view() : std::string_view(found->second);
}

Error not_found(std::string_view what, std::string_view name) {
  return {ErrorKind::usage, "V001",
          base::format("the model has no {} '{}'", what, cut_text(name, max_label_bytes)), "reload the page"};
}

void write_ranges_of(std::vector<std::uint32_t> positions, JsonWriter& json) {
  std::sort(positions.begin(), positions.end());
  std::vector<Range> ranges;
  for (const std::uint32_t at : positions) {
    if (!ranges.empty() && ranges.back().last == at)
      ++ranges.back().last;
    else
      ranges.push_back({at, at + 1});
  }
  write_ranges(ranges, json);
}

}  // namespace

ViewData::ViewData(const semantics::Map& map, Overlay overlay)
    : map_(map),
      overlay_(std::move(overlay)),
      inferred_(shapes::infer(map.model())),
      outline_(map),
      boxes_(map, outline_),
      summaries_(map, outline_, inferred_, overlay_),
      uses_(map.model()),
      pictures_(map, outline_, boxes_, summaries_, inferred_) {}

Result<std::string> ViewData::answer(std::string_view question, const Parameters& parameters) const {
  struct Question {
    std::string_view name;
    Answer (ViewData::*answer)(const Parameters&) const;
  };
  static constexpr Question questions[] = {
      {"model", &ViewData::model},     {"open", &ViewData::open},     {"children", &ViewData::children},
      {"node", &ViewData::node},       {"locate", &ViewData::locate}, {"search", &ViewData::search},
      {"where", &ViewData::where},     {"review", &ViewData::review}, {"flow", &ViewData::flow},
      {"weights", &ViewData::weights},
  };
  for (const Question& one : questions)
    if (one.name == question) return (this->*one.answer)(parameters);
  return not_found("question", question);
}

Result<std::string> ViewData::model(const Parameters&) const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member<"schema">("thence.view/1");
  json.member<"file">(shown_file(map_.model().file()));
  json.member<"producer">(cut_text(
      base::format("{} {}", map_.model().producer_name(), map_.model().producer_version()), max_label_bytes));
  json.member<"strategy">(map_.strategy().name);
  json.member<"label">(cut_text(output::root_label(map_), max_label_bytes));
  json.member<"modules">(map_.tree().size());
  json.member<"has_classes">(map_.tree().has_classes());
  write_overlays(overlay_, json);
  json.begin_object<"root">();
  summaries_.write_module(modules::root, json);
  json.end_object();
  json.end_object();
  return text;
}

Result<std::string> ViewData::open(const Parameters& parameters) const {
  const std::optional<Box> box = boxes_.find(get(parameters, "id"));
  if (!box) return not_found("box", get(parameters, "id"));
  std::string text;
  JsonWriter json(text);
  pictures_.write(*box, json);
  return text;
}

Result<std::string> ViewData::children(const Parameters& parameters) const {
  const std::optional<Box> box = boxes_.find(get(parameters, "id"));
  if (!box || box->chunk) return not_found("module", get(parameters, "id"));
  std::vector<ModuleId> listed;
  if (box->module != outline_.unknown()) listed = map_.tree().ordered_children(box->module);
  if (box->module == modules::root && outline_.range(outline_.unknown()).size() > 0)
    listed.push_back(outline_.unknown());
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member<"total">(listed.size());
  json.begin_array<"modules">();
  for (std::size_t i = 0; i < std::min(listed.size(), max_tree_rows); ++i) {
    json.begin_object();
    summaries_.write_module(listed[i], json);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text;
}

std::optional<onnx::NodeId> ViewData::find_node(const Parameters& parameters) const {
  const std::string_view name = get(parameters, "id");
  onnx::NodeId id = 0;
  const char* const end = name.data() + name.size();
  if (!name.starts_with('n')) return std::nullopt;
  const auto parsed = std::from_chars(name.data() + 1, end, id);
  if (parsed.ec != std::errc() || parsed.ptr != end || id >= map_.model().node_count()) return std::nullopt;
  return id;
}

Result<std::string> ViewData::node(const Parameters& parameters) const {
  const std::optional<onnx::NodeId> id = find_node(parameters);
  if (!id) return not_found("node", get(parameters, "id"));
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member<"id">(base::format("n{}", *id));
  json.member<"position">(outline_.position(*id));
  write_node_details(map_, inferred_, uses_, *id, json);
  if (overlay_.times) json.real<"time_us">(overlay_.times->by_node[*id], 6);
  if (overlay_.comparison != nullptr) overlay_.comparison->write_node(overlay_.side, *id, json);
  json.array<"boxes">(boxes_.boxes_around(outline_.position(*id), outline_.module_of(*id)));
  json.end_object();
  return text;
}

Result<std::string> ViewData::locate(const Parameters& parameters) const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  if (const std::optional<onnx::NodeId> id = find_node(parameters)) {
    json.array<"boxes">(boxes_.boxes_around(outline_.position(*id), outline_.module_of(*id)));
  } else if (const std::optional<Box> box = boxes_.find(get(parameters, "id")); box && !box->chunk) {
    const bool is_drawn = box->module != modules::root && outline_.range(box->module).size() > 0;
    json.array<"boxes">(
        is_drawn ? boxes_.boxes_around(outline_.range(box->module).first, outline_.parent(box->module))
                 : std::vector<std::string>());
  } else {
    return not_found("module or node", get(parameters, "id"));
  }
  json.end_object();
  return text;
}

std::string ViewData::found(const std::vector<onnx::NodeId>& nodes) const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member<"total">(nodes.size());
  json.begin_array<"nodes">();
  for (std::size_t i = 0; i < std::min(nodes.size(), max_found_rows); ++i) {
    const resolve::Attribution& answer = map_.answer(nodes[i]);
    json.begin_object();
    json.member<"id">(base::format("n{}", nodes[i]));
    json.member<"name">(cut_text(map_.model().node(nodes[i]).name(), max_label_bytes));
    json.member<"op">(cut_text(map_.model().node(nodes[i]).op_type(), max_label_bytes));
    json.key<"path">();
    answer.known() ? json.value(map_.tree()[answer.module].path) : json.null();
    json.member<"level">(semantics::level_of(answer));
    json.real<"confidence">(answer.confidence, 4);
    json.member_or_null<"reason">(map_.reason(nodes[i]));
    json.end_object();
  }
  json.end_array();
  std::vector<std::uint32_t> positions;
  positions.reserve(nodes.size());
  for (const onnx::NodeId node : nodes) positions.push_back(outline_.position(node));
  write_ranges_of(std::move(positions), json);
  json.end_object();
  return text;
}

Result<std::string> ViewData::search(const Parameters& parameters) const {
  const std::string_view text = get(parameters, "text");
  return found(text.empty() ? std::vector<onnx::NodeId>() : find_text(map_, text));
}

Result<std::string> ViewData::where(const Parameters& parameters) const {
  const Result<std::vector<onnx::NodeId>> nodes = find_where(map_, get(parameters, "text"));
  if (!nodes) return nodes.error();
  return found(*nodes);
}

Result<std::string> ViewData::review(const Parameters&) const { return found(nodes_to_review(map_)); }

Result<std::string> ViewData::flow(const Parameters& parameters) const {
  const std::optional<onnx::NodeId> id = find_node(parameters);
  if (!id) return not_found("node", get(parameters, "id"));
  const bool up = get(parameters, "direction") != "downstream";
  return found(reachable(map_, uses_, *id, up ? Direction::upstream : Direction::downstream));
}

Result<std::string> ViewData::weights(const Parameters& parameters) const {
  const std::optional<onnx::NodeId> id = find_node(parameters);
  if (!id) return not_found("node", get(parameters, "id"));
  const std::string_view text = get(parameters, "input");
  std::uint32_t input = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), input);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return not_found("input", text);
  return weight_statistics(map_.model(), *id, input);
}

}  // namespace thence::serve
