#include "hierarchy/hierarchy.h"

#include <charconv>
#include <utility>

#include "base/text.h"
#include "hierarchy/builder_scopes.h"
#include "hierarchy/fingerprint.h"
#include "hierarchy/limits.h"

namespace thence::hierarchy {
namespace {

std::size_t module_memory_limit(const onnx::Model& model) {
  std::size_t node_bytes = 0;
  for (const onnx::Graph& graph : model.graphs())
    if (graph.owner == onnx::none)
      for (onnx::NodeId id = graph.first_node; id < graph.first_node + graph.node_count; ++id)
        node_bytes += model.node(id).bytes().size();
  return min_module_memory_bytes + node_bytes + model.node_count() * module_memory_per_node;
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

// Paths are separated by spaces. A part is one word per path; that of the first follows "primary+".
template <class Find>
std::vector<TaggedMember> read_members(const ExporterProperties& properties, Find find) {
  std::vector<TaggedMember> members;
  std::vector<std::string_view> parts;
  if (!properties.tag_parts.empty()) parts = base::split(properties.tag_parts, ' ');
  const std::vector<std::string_view> paths = base::split(properties.tag_modules, ' ');
  if (paths.size() > max_tagged_members || (!parts.empty() && parts.size() != paths.size())) return members;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    TaggedMember member{.module = find(unescape_path(paths[i])), .part = {}};
    if (member.module == no_module) return {};
    if (!parts.empty()) member.part = i == 0 ? parts[i].substr(parts[i].find('+') + 1) : parts[i];
    members.push_back(member);
  }
  return members;
}

}  // namespace

std::string escape_path(std::string_view path) {
  std::string text;
  for (const char c : path) c == ' ' || c == '%' ? text += c == ' ' ? "%20" : "%25" : text += c;
  return text;
}

std::string unescape_path(std::string_view text) {
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view code = text.substr(i, 3);
    if (code == "%20" || code == "%25") {
      path += code == "%20" ? ' ' : '%';
      i += 2;
    } else {
      path += text[i];
    }
  }
  return path;
}

Hierarchy::Hierarchy(const onnx::Model& model, std::optional<Capture> capture, bool use_tags)
    : capture_(std::move(capture)), tree_(capture_ ? std::move(capture_->tree) : ModuleTree()) {
  if (!capture_ && use_tags) record_ = read_model_record(model);
  if (record_) tree_ = std::move(record_->tree);
  if (!tree_.is_complete_at({})) tree_.set_memory_limit(module_memory_limit(model));
  const std::vector<UncorroboratedStack> uncorroborated = read_properties(model, use_tags);
  if (capture_ && tree_.is_complete()) compare_weights(model);
  const bool is_built = !scopes_ && has_builder_scopes(model);
  // Names and shapes alone do not tell which modules the other scopes of the builder are: they stay scopes.
  if (is_built && tree_.is_complete()) {
    tree_.allow_more_modules();
    tree_.set_memory_limit(module_memory_limit(model));
  }
  read_parameters(model, is_built);
  const std::size_t known_modules = tree_.size();
  if (!scopes_) scopes_.emplace(model, tree_, parameters_);
  mark_scopes(known_modules, is_built);
  for (const UncorroboratedStack& stack : uncorroborated)
    if (const ModuleId module = tree_.find_as_called(stack.path); module != no_module)
      set_stack(model, stack.node, {.module = module, .rewritten = stack.rewritten});
  tree_.find_layers();
}

// In a graph that another tool built after the model of the capture, weights prove the modules; the paths in
// its scopes and metadata are the tool's own.
void Hierarchy::compare_weights(const onnx::Model& model) {
  BuilderStacks builder_stacks(model);
  if (builder_stacks.empty() && !has_foreign_scopes(model)) return;
  weight_owners_ = WeightOwners(model, capture_->parameters, tree_);
  if (!weight_owners_.has_any()) return;
  scopes_.emplace(model, tree_, weight_owners_, std::move(builder_stacks));
  for (NodeStack& stack : stacks_)
    if (stack.is_builders) stack = {};
}

void Hierarchy::read_parameters(const onnx::Model& model, bool has_builder_scopes) {
  // Then their names are those of nodes, and name no modules.
  if (has_builder_scopes && names_parameters_after_nodes(model))
    return parameters_.resize(model.initializers().size());
  parameters_ = parameter_owners(model, tree_);
  copies_ = parameter_copies(model, tree_);
}

// Scopes of a builder, or of another framework, are modules only if metadata or parameters named them before.
void Hierarchy::mark_scopes(std::size_t known_modules, bool has_builder_scopes) {
  if (tree_.is_complete() || (!has_builder_scopes && scopes_->style() != ScopeStyle::bare)) return;
  for (auto module = static_cast<ModuleId>(known_modules); module < tree_.size(); ++module)
    tree_.mark_scope(module);
  if (known_modules == 1 && stacks_.empty() && tags_.empty()) tree_.mark_scope(root);
}

std::vector<Hierarchy::UncorroboratedStack> Hierarchy::read_properties(const onnx::Model& model,
                                                                       bool use_tags) {
  std::vector<UncorroboratedStack> uncorroborated;
  if (!model.may_have_node_metadata()) return uncorroborated;
  StackReader reader(tree_, model);
  std::unordered_map<std::string_view, ModuleId> by_classes;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const ExporterProperties properties = exporter_properties(model.node(id));
    if (properties.tagged && use_tags) read_tag(model, id, properties);
    const StackReader::StackModule found = reader.find(properties);
    // A builder merges nodes around the operation that it names, and lets several modules read the tables of
    // one.
    const bool rewritten = !properties.rewrite_rule.empty() && !found.is_builders;
    if (found.uncorroborated != nullptr) uncorroborated.push_back({id, *found.uncorroborated, rewritten});
    if (found.module == no_module && !found.names_unlisted_module) {
      if (properties.class_path.empty() || !tree_.is_complete()) continue;
      const auto [at, is_new] = by_classes.emplace(properties.class_path, no_module);
      if (is_new) at->second = find_by_classes(tree_, properties.class_path);
      if (at->second != no_module) set_stack(model, id, {.module = at->second, .is_outer = true});
      continue;
    }
    set_stack(
        model, id,
        {found.module, found.starts_at_root, rewritten, found.names_unlisted_module, found.is_builders});
  }
  return uncorroborated;
}

void Hierarchy::read_tag(const onnx::Model& model, onnx::NodeId node, const ExporterProperties& properties) {
  const bool is_current = properties.tag_fingerprint == Fingerprint(model, node).text();
  const auto find = [&](std::string_view path, std::string_view class_name = {}) {
    return tree_.is_complete() || !is_current ? tree_.find_as_called(path) : tree_.add(path, class_name);
  };
  NodeTag& tag = tags_.emplace_back();
  tag = {node,
         find(properties.tag_module, properties.tag_class),
         properties.tag_module,
         properties.tag_hf_module,
         properties.tag_text,
         is_current,
         read_share(properties.tag_confidence)};
  if (properties.tag_kind == "scope" && tag.module != no_module && !tree_.is_complete())
    tree_.mark_scope(tag.module);
  if (!is_current || tag.module == no_module) return;
  tag.call = read_call(properties.tag_call);
  if (properties.tag_weight_owner) tag.weight_owner = find(*properties.tag_weight_owner);
  if (!properties.tag_modules.empty()) {
    std::vector<TaggedMember> members = read_members(properties, find);
    if (members.size() > 1 && members.front().module == tag.module)
      tagged_members_.emplace(node, std::move(members));
  }
}

const std::vector<TaggedMember>& Hierarchy::members_of(const NodeTag& tag) const {
  static const std::vector<TaggedMember> none;
  const auto found = tagged_members_.find(tag.node);
  return found == tagged_members_.end() ? none : found->second;
}

void Hierarchy::set_stack(const onnx::Model& model, onnx::NodeId node, NodeStack stack) {
  if (stacks_.empty()) stacks_.resize(model.node_count());
  stacks_[node] = stack;
}

}  // namespace thence::hierarchy
