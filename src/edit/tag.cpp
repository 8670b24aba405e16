#include "edit/tag.h"

#include <fmt/format.h>

#include "edit/rewrite.h"
#include "hierarchy/fingerprint.h"

namespace thence::edit {
namespace {

using semantics::Map;

// What an earlier run wrote into the node, and with which evidence.
void keep_answer(const onnx::Node& node, Entries& entries) {
  node.each_metadata([&](const onnx::MetadataEntry& entry) {
    if (is_answer(entry)) entries.add(entry.key.substr(key_prefix.size()), entry.value);
  });
}

// An unknown node says so by having no entries.
void add_answer(const Map& map, onnx::NodeId id, Entries& entries) {
  const resolve::Attribution& answer = map.answer(id);
  if (!answer.known()) return;
  if (answer.source == evidence::Source::tags) return keep_answer(map.model().node(id), entries);
  const hierarchy::ModuleTree& tree = map.tree();
  const semantics::ModuleFacts& facts = map.facts(answer.module);
  entries.add("module", tree[answer.module].path);
  entries.add_if("class", tree[answer.module].class_name);
  entries.add_if("tag", facts.tag);
  if (facts.hf_module != hierarchy::no_module) entries.add("hf_module", tree[facts.hf_module].path);
  std::string role(facts.role.type);
  if (!facts.role.component.empty()) role.append(role.empty() ? "" : " ").append(facts.role.component);
  entries.add_if("role", role);
  if (const auto modules = map.modules_of(id); modules.size() > 1) {
    std::string all;
    for (const hierarchy::ModuleId module : modules)
      all.append(all.empty() ? "" : " ").append(tree[module].path);
    entries.add("modules", all);
  }
  entries.add("confidence", fmt::format("{:.4g}", answer.confidence));
  entries.add("source", evidence::name_of(answer.source));
  entries.add("fingerprint", hierarchy::fingerprint(map.model(), id));
}

// One of its own: not one that an earlier run added.
bool has_namespace(const onnx::Node& node) {
  bool any = false, added = false;
  node.each_metadata([&](const onnx::MetadataEntry& entry) {
    any |= entry.key == "namespace";
    added |= entry.key == added_key;
  });
  return any && !added;
}

// As PyTorch writes it: from the root inwards, each module's path and class, then the operator.
std::string namespace_of(const Map& map, onnx::NodeId id) {
  const hierarchy::ModuleTree& tree = map.tree();
  std::string text;
  for (hierarchy::ModuleId module = map.answer(id).module; module != hierarchy::no_module;
       module = tree[module].parent)
    text.insert(0, fmt::format("{}: {}/", tree[module].path, tree[module].class_name));
  const onnx::Node node = map.model().node(id);
  return text.append(fmt::format("{}: {}", node.name(), node.op_type()));
}

}  // namespace

Splice tagged(const Map& map, const TagOptions& options) {
  const onnx::Model& model = map.model();
  Additions additions;
  additions.record.emplace_back("version", THENCE_VERSION);
  additions.record.emplace_back("strategy", map.strategy().name);
  if (!options.capture_digest.empty()) additions.record.emplace_back("capture", options.capture_digest);
  for (onnx::NodeId id = 0; id < model.node_count() && !additions.any_node; ++id)
    additions.any_node = map.answer(id).known();
  additions.node = [&](onnx::NodeId id, Entries& entries) {
    add_answer(map, id, entries);
    if (options.with_namespace && map.answer(id).known() && !has_namespace(model.node(id)))
      entries.add_foreign("namespace", namespace_of(map, id));
  };
  return with(model, additions);
}

}  // namespace thence::edit
