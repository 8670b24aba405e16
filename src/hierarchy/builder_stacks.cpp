#include "hierarchy/builder_stacks.h"

#include <unordered_map>

#include "hierarchy/exporter_stack.h"

namespace thence::hierarchy {
namespace {

// Nothing for other stacks than those of builders.
std::optional<std::string> scope_text(const ExporterProperties& properties) {
  const ExporterStack stack = read_stack(properties);
  if (!stack.is_builders) return std::nullopt;
  std::string text;
  std::string_view outer;
  for (const StackFrame& frame : stack.modules) {
    if (frame.path == outer) continue;
    const bool is_inside = !outer.empty() && frame.path.size() > outer.size();
    text.append("/").append(is_inside ? std::string_view(frame.path).substr(outer.size() + 1) : frame.path);
    outer = frame.path;
  }
  return text;
}

// Only the dialect of an exporter ends with the operation.
bool is_exporters(const ExporterProperties& properties) {
  return properties.dialect && MetadataDialects::shipped()[*properties.dialect].ends_with_operation;
}

}  // namespace

BuilderStacks::BuilderStacks(const onnx::Model& model) {
  if (!model.may_have_node_metadata()) return;
  by_node_.resize(model.node_count());
  std::unordered_map<std::string_view, std::optional<std::string_view>> seen;  // by the text of the stack
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const ExporterProperties properties = exporter_properties(model.node(id));
    if (properties.stack_text().empty() || is_exporters(properties)) continue;
    const auto [known, is_new] = seen.try_emplace(properties.stack_text());
    if (is_new)
      if (std::optional<std::string> text = scope_text(properties))
        known->second = texts_.emplace_back(*std::move(text));
    by_node_[id] = known->second;
  }
}

}  // namespace thence::hierarchy
