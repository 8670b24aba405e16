#include "serve/summaries.h"

#include <algorithm>

#include "base/format.h"
#include "base/utf8.h"
#include "serve/limits.h"

namespace thence::serve {
namespace {

using base::JsonWriter;

constexpr std::array<std::string_view, level_count> level_names = {"high", "medium", "low", "none"};

}  // namespace

std::string cut_text(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return base::escape_invalid_utf8(text);
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return base::escape_invalid_utf8(text.substr(0, end)) + "\u2026";
}

std::string shown_file(std::string_view path) {
  return cut_text(path.substr(path.rfind('/') + 1), max_label_bytes);
}

std::size_t level_number(const resolve::Attribution& answer) {
  const auto* const found = std::find(level_names.begin(), level_names.end(), semantics::level_of(answer));
  return std::min<std::size_t>(static_cast<std::size_t>(found - level_names.begin()), level_count - 1);
}

void write_ranges(const std::vector<Range>& ranges, JsonWriter& json) {
  json.begin_array<"ranges">();
  for (const Range range : ranges) {
    json.value(range.first);
    json.value(range.last);
  }
  json.end_array();
}

void Summary::include(const Summary& other) {
  nodes += other.nodes;
  parameters += other.parameters;
  bytes += other.bytes;
  flops += other.flops;
  flops_partial = flops_partial || other.flops_partial;
  confidence += other.confidence;
  for (std::size_t i = 0; i < level_count; ++i) levels[i] += other.levels[i];
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] += other.sources[i];
  overlay.include(other.overlay);
}

Summaries::Summaries(const semantics::Map& map, const Outline& outline,
                     const shapes::InferredShapes& inferred, const Overlay& overlay)
    : map_(map),
      outline_(outline),
      inferred_(inferred),
      overlay_(overlay),
      tallies_(output::tally(map, inferred)),
      modules_(outline.module_count()) {
  for (onnx::NodeId node = 0; node < map.model().node_count(); ++node) {
    const resolve::Attribution& answer = map.answer(node);
    Summary& own = modules_[outline.module_of(node)];
    ++own.levels[level_number(answer)];
    if (answer.known()) ++own.sources[static_cast<std::size_t>(answer.source)];
    own.overlay.include(OverlayAmounts::of(overlay, node));
  }
  for (ModuleId id = outline.module_count(); id-- > 0;) {
    const output::Tally& tally = id == outline.unknown() ? tallies_.unknown : tallies_.modules[id];
    Summary& one = modules_[id];
    if (id != modules::root) {
      Summary inside;
      inside.levels = one.levels;
      inside.sources = one.sources;
      inside.overlay = one.overlay;
      modules_[outline.parent(id)].include(inside);
    }
    one.nodes = outline.range(id).size();
    one.parameters = tally.parameters;
    one.bytes = tally.bytes;
    one.flops = 2 * output::plain_value(tally.macs);
    one.flops_partial = tally.uncounted > 0;
    one.confidence = tally.confidence;
  }
  if (overlay.drifts)  // each module has its own number, which is not a sum
    for (ModuleId id = 0; id < overlay.drifts->by_module.size(); ++id)
      modules_[id].overlay.drift = overlay.drifts->by_module[id];
  Summary& root = modules_[modules::root];  // it also contains the unknown nodes
  root.parameters = tallies_.total.parameters;
  root.bytes = tallies_.total.bytes;
  root.flops = 2 * output::plain_value(tallies_.total.macs);
  root.confidence = tallies_.total.confidence;
}

Summary Summaries::of_node(onnx::NodeId node) const {
  const resolve::Attribution& answer = map_.answer(node);
  Summary one;
  one.nodes = 1;
  one.confidence = answer.confidence;
  one.levels[level_number(answer)] = 1;
  if (answer.known()) one.sources[static_cast<std::size_t>(answer.source)] = 1;
  one.overlay = OverlayAmounts::of(overlay_, node);
  const shapes::Size macs = inferred_.work[node].macs;
  if (macs.known())
    one.flops = 2 * output::plain_value(inferred_.sizes.polynomial(macs));
  else
    one.flops_partial = true;
  for (const onnx::ValueId value : map_.model().node(node).inputs()) {
    if (value == onnx::none) continue;
    const onnx::Producer producer = map_.model().producer(value);
    if (producer.kind != onnx::Producer::Kind::initializer) continue;
    const onnx::TensorView tensor = map_.model().tensor(map_.model().initializers()[producer.index]);
    one.bytes += tensor.bytes().value_or(0);
    if (onnx::is_float(tensor.data_type)) one.parameters += tensor.elements().value_or(0);
  }
  return one;
}

Summary Summaries::of_item(const Item& item) const {
  Summary sum;
  for (const ModuleId member : item.members) sum.include(modules_[member]);
  if (item.kind == Item::Kind::chunk)
    for (const Range range : item.ranges)
      for (std::uint32_t at = range.first; at < range.last; ++at) sum.include(of_node(outline_.node_at(at)));
  return sum;
}

void Summaries::write_summary(const Summary& summary, JsonWriter& json) const {
  json.member<"nodes">(summary.nodes);
  json.member<"parameters">(summary.parameters);
  json.member<"bytes">(summary.bytes);
  json.real<"flops">(summary.flops, 6);
  if (summary.flops_partial) json.member<"flops_partial">(true);
  json.real<"confidence">(summary.nodes == 0 ? 0.0 : summary.confidence / static_cast<double>(summary.nodes),
                          4);
  json.array<"levels">(summary.levels);
  json.begin_object<"sources">();
  for (std::size_t i = 0; i < summary.sources.size(); ++i)
    if (summary.sources[i] > 0) {
      json.key(evidence::name_of(static_cast<evidence::Source>(i)));
      json.value(summary.sources[i]);
    }
  json.end_object();
  summary.overlay.write(overlay_, json);
}

void Summaries::write_role(ModuleId module, JsonWriter& json) const {
  const semantics::Role role = map_.role(module);
  json.member_or_null<"role">(role.type);
  json.member_or_null<"component">(role.component);
  json.member<"class">(cut_text(map_.tree()[module].class_name, max_label_bytes));
  json.member<"path">(map_.tree()[module].path);
}

void Summaries::write_module(ModuleId module, JsonWriter& json) const {
  json.member<"kind">("module");
  json.member<"id">(base::format("m{}", module));
  if (module == outline_.unknown()) {
    json.member<"name">("(unknown)");
    json.member<"unknown">(true);
  } else {
    json.member<"name">(module == modules::root ? "(root)"
                                                : cut_text(map_.tree()[module].name(), max_label_bytes));
    write_role(module, json);
    json.member<"submodules">(map_.tree()[module].children.size());
  }
  write_summary(modules_[module], json);
  write_ranges({outline_.range(module)}, json);
}

void Summaries::write_node(onnx::NodeId id, JsonWriter& json) const {
  const onnx::Node node = map_.model().node(id);
  const resolve::Attribution& answer = map_.answer(id);
  json.member<"kind">("node");
  json.member<"id">(base::format("n{}", id));
  json.member<"name">(cut_text(node.name(), max_label_bytes));
  json.member<"op">(cut_text(node.op_type(), max_label_bytes));
  if (answer.known()) write_role(answer.module, json);
  write_summary(of_node(id), json);
}

void Summaries::write_stack(const Item& item, JsonWriter& json) const {
  const modules::ModuleTree& tree = map_.tree();
  json.member<"name">(
      base::format("{}\u2013{}", tree[item.members.front()].name(), tree[item.members.back()].name()));
  json.begin_array<"members">();
  for (const ModuleId member : item.members) json.value(base::format("m{}", member));
  json.end_array();
  write_role(item.members.front(), json);
}

void Summaries::write(const Item& item, ModuleId around, JsonWriter& json) const {
  json.begin_object();
  if (item.kind == Item::Kind::module) {
    write_module(item.number, json);
  } else if (item.kind == Item::Kind::node) {
    write_node(item.number, json);
    write_ranges(item.ranges, json);
  } else {
    json.member<"kind">(item.kind == Item::Kind::stack ? "stack" : "chunk");
    json.member<"id">(Boxes::name_of(item, around));
    if (item.kind == Item::Kind::stack)
      write_stack(item, json);
    else
      json.member<"name">(base::format("{}\u2013{}", item.chunk.first, item.chunk.last - 1));
    write_summary(of_item(item), json);
    write_ranges(item.ranges, json);
  }
  json.end_object();
}

}  // namespace thence::serve
