#include "hierarchy/hierarchy.h"

#include <charconv>
#include <utility>

#include "hierarchy/fingerprint.h"
#include "hierarchy/limits.h"

namespace thence::hierarchy {
namespace {

// Memory limit for the modules named by a file, in proportion to the size of its node descriptions.
std::size_t module_memory_limit(const onnx::Model& model) {
  std::size_t node_bytes = 0;
  for (const onnx::Graph& graph : model.graphs())
    if (graph.owner == onnx::none)
      for (onnx::NodeId id = graph.first_node; id < graph.first_node + graph.node_count; ++id)
        node_bytes += model.node(id).bytes().size();
  return min_module_memory_bytes + node_bytes / 4 * 3;
}

// A number above 0 and up to 1; 0 if the text is none.
float read_share(std::string_view text) {
  float share = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  const bool is_share = error == std::errc() && end == text.data() + text.size() && share > 0 && share <= 1;
  return is_share ? share : 0;
}

modules::CallNumber read_call(std::string_view text) {
  std::uint32_t call = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), call);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return call;
}

}  // namespace

Hierarchy::Hierarchy(const onnx::Model& model, std::optional<Capture> capture, bool use_tags)
    : capture_(std::move(capture)), tree_(capture_ ? std::move(capture_->tree) : ModuleTree()) {
  if (!tree_.is_complete_at({})) tree_.set_memory_limit(module_memory_limit(model));
  const std::vector<UncorroboratedStack> uncorroborated = read_properties(model, use_tags);
  parameters_ = parameter_owners(model, tree_);
  copies_ = parameter_copies(model, tree_);
  scopes_.emplace(model, tree_, parameters_);
  for (const UncorroboratedStack& stack : uncorroborated)
    if (const ModuleId module = tree_.find_as_called(stack.path); module != no_module)
      set_stack(model, stack.node, {.module = module, .rewritten = stack.rewritten});
  tree_.find_layers();
}

std::vector<Hierarchy::UncorroboratedStack> Hierarchy::read_properties(const onnx::Model& model,
                                                                       bool use_tags) {
  std::vector<UncorroboratedStack> uncorroborated;
  if (!model.may_have_node_metadata()) return uncorroborated;
  StackReader reader(tree_);
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const ExporterProperties properties = exporter_properties(model.node(id));
    if (properties.tagged && use_tags) {
      const bool is_current = properties.tag_fingerprint == Fingerprint(model, id).text();
      const ModuleId module = tree_.is_complete() || !is_current
                                  ? tree_.find_as_called(properties.tag_module)
                                  : tree_.add(properties.tag_module, properties.tag_class);
      tags_.push_back({id, module, properties.tag_module, properties.tag_hf_module, properties.tag_text,
                       is_current, read_share(properties.tag_confidence), read_call(properties.tag_call)});
    }
    const StackReader::StackModule found = reader.find(properties);
    const bool rewritten = !properties.rewrite_rule.empty();
    if (found.uncorroborated != nullptr) uncorroborated.push_back({id, *found.uncorroborated, rewritten});
    if (found.module == no_module && !found.names_unlisted_module) continue;
    set_stack(model, id, {found.module, found.starts_at_root, rewritten, found.names_unlisted_module});
  }
  return uncorroborated;
}

void Hierarchy::set_stack(const onnx::Model& model, onnx::NodeId node, NodeStack stack) {
  if (stacks_.empty()) stacks_.resize(model.node_count());
  stacks_[node] = stack;
}

}  // namespace thence::hierarchy
