#include "diff/changes.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "diff/thresholds.h"

namespace thence::diff {
namespace {

using onnx::NodeId;
using onnx::none;

// The operators of some nodes in the order of the file.
std::string ops_of(const Side& side, std::vector<NodeId> nodes) {
  std::string text;
  std::sort(nodes.begin(), nodes.end());
  for (std::size_t i = 0; i < nodes.size() && i < max_named_operators; ++i)
    text += base::format("{}{}", i == 0 ? "" : " + ", base::printable(side.model.node(nodes[i]).op_type()));
  if (nodes.size() > max_named_operators)
    text += base::format(" + {} more", nodes.size() - max_named_operators);
  return text;
}

bool has_quantised(const Side& side, const std::vector<NodeId>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](NodeId id) { return dataflow::is_quantised(side.model.node(id).op_type()); });
}

// Whether a node has an input of this name. If it were constant, it would be a setting.
bool reads_setting(const onnx::Node& node, std::string_view name) {
  const auto inputs = node.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != none && (setting_name(node.op_type(), i) == name || base::format("input {}", i) == name))
      return true;
  return false;
}

}  // namespace

void Changes::add(DiffKind kind, const std::string& detail) {
  for (Change& change : found_)
    if (change.kind == kind) {
      change.detail += "; " + detail;
      return;
    }
  found_.push_back({kind, detail});
}

std::vector<Change> Changes::find(const Group& group) {
  found_.clear();
  if (group.b.empty()) {
    add(has_quantised(a_, group.a) ? DiffKind::quantised : DiffKind::removed, ops_of(a_, group.a));
  } else if (group.a.empty()) {
    add(has_quantised(b_, group.b) ? DiffKind::quantised : DiffKind::added, ops_of(b_, group.b));
  } else {
    compare_operators(group);
    // Also for exact groups: their keys do not cover the data of unread weights.
    if (const std::string unread = weights_.first_unread(group); !unread.empty())
      add(DiffKind::not_compared, unread);
    if (!group.exact)
      weights_.compare(group, [this](DiffKind kind, const std::string& detail) { add(kind, detail); });
    const onnx::Node a = a_.model.node(group.a.front()), b = b_.model.node(group.b.front());
    if (group.a.size() != 1 || group.b.size() != 1 || a.op_type() != b.op_type()) return std::move(found_);
    if (!group.exact) {
      compare_settings(a.id(), b.id());
      for (const std::string& each : inputs_.rewired_inputs(a.id(), b.id())) add(DiffKind::rewired, each);
    }
    compare_shapes(a.id(), b.id());
  }
  return std::move(found_);
}

void Changes::compare_operators(const Group& group) {
  const onnx::Node a = a_.model.node(group.a.front()), b = b_.model.node(group.b.front());
  const std::string detail = base::format("{} -> {}", ops_of(a_, group.a), ops_of(b_, group.b));
  // Views do not count: an operator with a reshape is still one.
  const auto count_operations = [](const Side& side, const std::vector<NodeId>& nodes) {
    return std::count_if(nodes.begin(), nodes.end(),
                         [&](NodeId id) { return !dataflow::is_view(side.graph.op(id).traits); });
  };
  const auto operations_a = count_operations(a_, group.a), operations_b = count_operations(b_, group.b);
  const auto domain = [](const onnx::Node& node) { return node.domain() == "ai.onnx" ? "" : node.domain(); };
  const bool same_op = a.op_type() == b.op_type() && domain(a) == domain(b);
  const bool counts_views = same_op || operations_a == 0;
  if (has_quantised(b_, group.b) != has_quantised(a_, group.a))
    add(DiffKind::quantised, detail);
  else if (operations_a > operations_b ||
           (operations_a == operations_b && counts_views && group.a.size() > group.b.size()))
    add(DiffKind::fused, detail);
  else if (operations_a < operations_b ||
           (operations_a == operations_b && counts_views && group.a.size() < group.b.size()))
    add(DiffKind::split, detail);
  else if (!same_op || group.a.size() > 1)
    add(DiffKind::retyped, detail);
}

void Changes::compare_settings(NodeId a, NodeId b) {
  const std::vector<Setting> before = a_.settings(a), after = b_.settings(b);
  const auto find = [](const std::vector<Setting>& settings, const std::string& name) -> const Setting* {
    const auto found =
        std::lower_bound(settings.begin(), settings.end(), name,
                         [](const Setting& each, const std::string& text) { return each.name < text; });
    return found != settings.end() && found->name == name ? &*found : nullptr;
  };
  const auto text = [&](const Setting* setting, const Side& side, const std::string& name) {
    if (setting != nullptr) return base::printable(setting->text);
    if (reads_setting(side.model.node(&side == &a_ ? a : b), name)) return std::string("computed");
    return Defaults::shipped().of(a_.model.node(a).op_type(), name, side.opset).value_or("none");
  };
  const auto report = [&](const std::string& name) {
    const Setting *const was = find(before, name), *const is = find(after, name);
    if (was == nullptr || is == nullptr || was->text != is->text)
      add(DiffKind::attributes,
          base::format("{}: {} -> {}", base::printable(name), text(was, a_, name), text(is, b_, name)));
  };
  for (const Setting& each : before) report(each.name);
  for (const Setting& each : after)
    if (find(before, each.name) == nullptr) report(each.name);
}

void Changes::compare_shapes(NodeId a, NodeId b) {
  const auto ours = b_.model.node(b).outputs(), theirs = a_.model.node(a).outputs();
  if (a_.model.node(a).graph() != 0 || b_.model.node(b).graph() != 0) return;
  for (std::size_t i = 0; i < ours.size() && i < theirs.size(); ++i) {
    if (ours[i] == none || theirs[i] == none) continue;
    const onnx::ValueInfoView* const before = declared_a_.of(a_.model.value_name(theirs[i]));
    const onnx::ValueInfoView* const after = declared_b_.of(b_.model.value_name(ours[i]));
    if (before != nullptr && after != nullptr && shapes_contradict(*before, *after))
      add(DiffKind::shapes, base::format("output {}: {} -> {}", i, text_of(*before), text_of(*after)));
  }
}

}  // namespace thence::diff
