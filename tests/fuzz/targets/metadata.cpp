// Reads the texts that exporters write into nodes: scopes, stacks, lists in Python's syntax and stack traces.
// An input has one text per line.
#include "../fuzz.h"
#include "base/text.h"
#include "hierarchy/derived_names.h"
#include "hierarchy/exporter_stack.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/python_literal.h"
#include "hierarchy/scope_names.h"
#include "onnx/metadata_keys.h"
#include "output/source_lines.h"
#include "pipeline/pipeline.h"
#include "wire/splice.h"

namespace thence::fuzz {
namespace {

constexpr std::size_t most_lines = 64;

void read_names(std::string_view text) {
  const hierarchy::DerivedNames& names = hierarchy::DerivedNames::shipped();
  for (const std::string_view found :
       {names.original_node(text), names.original_value(text), names.original_parameter(text)})
    require(found.size() <= text.size(), "an original name is a part of the name");
  for (const auto style :
       {hierarchy::ScopeStyle::none, hierarchy::ScopeStyle::from_root, hierarchy::ScopeStyle::bare}) {
    (void)hierarchy::scope_of_value_name(text, style);
    if (const auto scope = hierarchy::scope_of_node_name(text, style)) (void)split_scope(*scope, style);
  }
  (void)hierarchy::scope_component(text);
  (void)hierarchy::resolve_slices(text);
  require(hierarchy::unescape_path(hierarchy::escape_path(text)) == text, "an escaped path can be read");
  (void)output::read_frames(text);
}

void read_stacks(std::string_view first, std::string_view second) {
  (void)hierarchy::parse_string_list(first);
  (void)hierarchy::read_stack({.name_scopes = first, .class_hierarchy = second});
  (void)hierarchy::read_stack({.name_space = first});
  (void)hierarchy::read_stack({.name_scopes = first, .class_hierarchy = second, .name_space = first});
}

void append_entry(std::string& out, std::string_view key, std::string_view value) {
  std::string entry;
  wire::append_field(entry, 1, key);
  wire::append_field(entry, 2, value);
  wire::append_field(out, 9, entry);
}

// A chain of nodes: each line is a name, or begins with the key of a metadata entry of the node before it:
// "name_scopes=[...]".
std::string model_of(const std::vector<std::string_view>& lines) {
  std::string graph, node;
  std::size_t nodes = 0;
  const auto close = [&] {
    if (node.empty()) return;
    wire::append_field(node, 1, "v" + std::to_string(nodes));
    wire::append_field(node, 2, "v" + std::to_string(++nodes));
    wire::append_field(graph, 1, node);
    node.clear();
  };
  for (const std::string_view line : lines) {
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && !node.empty() && line.substr(0, equals).find('/') == line.npos) {
      append_entry(node, line.substr(0, equals), line.substr(equals + 1));
      continue;
    }
    close();
    wire::append_field(node, 3, line);
    wire::append_field(node, 4, nodes % 2 == 0 ? "MatMul" : "Relu");
  }
  close();
  std::string model = "\x08\x0a";  // ir_version: 10
  wire::append_field(model, 2, "pytorch");
  wire::append_field(model, 7, graph);
  return model;
}

void read_metadata(std::string_view input) {
  std::vector<std::string_view> lines = base::split(input, '\n');
  if (lines.size() > most_lines) lines.resize(most_lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view value = lines[i].substr(lines[i].find('=') + 1);
    read_names(value);
    const std::string_view next = i + 1 < lines.size() ? lines[i + 1] : std::string_view();
    read_stacks(value, next.substr(next.find('=') + 1));
  }
  const std::string model = model_of(lines);
  Result<semantics::Map> made = pipeline::map_bytes(model, "model.onnx", {});
  require(bool(made), "a chain of nodes can be mapped");
  require(made->summary().nodes == made->model().node_count(), "every node is counted");
}

const Registration metadata_target({"metadata", read_metadata, {Part::text}});

}  // namespace
}  // namespace thence::fuzz
