#include "edit/check.h"

#include <unordered_map>

#include "base/format.h"
#include "base/text_store.h"
#include "edit/rewrite.h"
#include "hierarchy/exporter_stack.h"
#include "hierarchy/fingerprint.h"
#include "onnx/layout.h"

namespace thence::edit {
namespace {

constexpr std::string_view id_key = "id";

// Compares lengths first: this runs for every property of every node.
bool is_id(const onnx::MetadataEntry& entry) {
  return entry.key.size() == key_prefix.size() + id_key.size() && entry.key.ends_with(id_key) &&
         entry.key.starts_with(key_prefix);
}

// A tool that merges nodes may join their properties.
std::vector<std::string_view> ids_of(const onnx::Node& node) {
  std::vector<std::string_view> ids;
  node.for_each_metadata([&](const onnx::MetadataEntry& entry) {
    if (!is_id(entry)) return;
    std::string_view rest = entry.value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(", "), rest.size());
      if (end > 0) ids.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  });
  return ids;
}

struct Found {
  std::size_t nodes = 0;
  bool merged = false;
  std::string_view op_type;
};

}  // namespace

std::string_view name_of(TagFault fault) {
  switch (fault) {
    case TagFault::stale: return "stale";
    case TagFault::no_module: return "no_module";
    default: return "contradicted";
  }
}

TagReport check_tags(const semantics::Map& map) {
  const onnx::Model& model = map.model();
  TagReport report;
  report.nodes = model.node_count();
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const hierarchy::ExporterProperties properties = hierarchy::exporter_properties(model.node(id));
    if (!properties.tagged) continue;
    ++report.tagged;
    const resolve::Attribution& answer = map.answer(id);
    const auto find = [&](TagFault fault, std::size_t& count) {
      ++count;
      report.findings.push_back(
          {id, fault, std::string(properties.tag_module),
           answer.known() ? std::string(map.tree()[answer.module].path) : std::string()});
    };
    if (properties.tag_fingerprint != hierarchy::Fingerprint(model, id).text())
      find(TagFault::stale, report.stale);
    else if (map.tree().is_complete() && map.tree().find(properties.tag_module) == modules::no_module)
      find(TagFault::no_module, report.no_module);
    else if (answer.known() && !answer.is_inferred && map.tree()[answer.module].path != properties.tag_module)
      find(TagFault::contradicted, report.contradicted);
  }
  return report;
}

wire::Splice add_ids(const onnx::Model& model) {
  Additions additions;
  additions.any_node = model.node_count() > 0;
  for (const onnx::MetadataEntry& entry : model.metadata())
    if (is_tag_entry(entry)) additions.record.emplace_back(entry.key.substr(key_prefix.size()), entry.value);
  const auto texts = std::make_shared<base::TextStore>();
  additions.owner = texts;
  additions.node = [&](onnx::NodeId id) {
    const onnx::Node node = model.node(id);
    Entries entries(static_cast<std::uint32_t>(onnx::NodeField::metadata_props));
    node.for_each_metadata([&](const onnx::MetadataEntry& entry) {
      if (is_tag_entry(entry) && !is_id(entry)) entries.add(entry.key.substr(key_prefix.size()), entry.value);
    });
    entries.add(id_key, base::format("{}#{}", model.graph_label(node.graph()), node.index()));
    return texts->store(entries.text());
  };
  return add_entries(model, additions);
}

Survival count_survivors(const onnx::Model& before, const onnx::Model& after) {
  std::unordered_map<std::string_view, Found> found;
  Survival result;
  result.nodes = after.node_count();
  for (onnx::NodeId id = 0; id < after.node_count(); ++id) {
    const onnx::Node node = after.node(id);
    const auto ids = ids_of(node);
    result.fresh += ids.empty();
    for (const std::string_view one : ids) {
      Found& entry = found[one];
      ++entry.nodes;
      entry.merged |= ids.size() > 1;
      entry.op_type = node.op_type();
    }
  }
  for (onnx::NodeId id = 0; id < before.node_count(); ++id) {
    const onnx::Node node = before.node(id);
    for (const std::string_view one : ids_of(node)) {
      ++result.ids;
      const auto entry = found.find(one);
      if (entry == found.end())
        ++result.vanished;
      else if (entry->second.merged)
        ++result.merged;
      else if (entry->second.nodes > 1)
        ++result.copied;
      else if (entry->second.op_type != node.op_type())
        ++result.retyped;
      else
        ++result.survived;
    }
  }
  return result;
}

}  // namespace thence::edit
