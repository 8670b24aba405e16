// The module tree as a table, JSON and CSV.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "output/json_text.h"
#include "output/tree_rows.h"

namespace thence::output {
namespace {

constexpr std::string_view bold = "\x1b[1m", dim = "\x1b[2m", plain = "\x1b[0m";

// 1,234 or 12.3M: four significant places at most, so that columns stay narrow.
std::string short_number(std::uint64_t value) {
  static constexpr const char* units[] = {"", "k", "M", "G", "T", "P"};
  if (value < 10'000) return std::to_string(value);
  double scaled = static_cast<double>(value);
  std::size_t unit = 0;
  while (scaled >= 1000 && unit + 1 < std::size(units)) {
    scaled /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g}{}", scaled, units[unit]);
}

std::string label(const semantics::Map& map, const TreeRow& row) {
  const hierarchy::Module& module = map.tree()[row.module];
  const std::string name = row.module == hierarchy::root ? "(root)" : base::printable(module.name());
  return std::string(row.depth * 2, ' ') + name;
}

std::string role(const semantics::Map& map, hierarchy::ModuleId module) {
  const semantics::Role role = map.role(module);
  std::string text(role.type);
  if (!role.component.empty()) text += (text.empty() ? "" : " ") + std::string(role.component);
  return text;
}

}  // namespace

void write_tree_table(const semantics::Map& map, const TreeOptions& options, base::Writer& out) {
  const std::vector<TreeRow> rows = tree_rows(map, options);
  std::size_t name_width = 6, class_width = 5;
  for (const TreeRow& row : rows) {
    name_width = std::max(name_width, base::columns(label(map, row)));
    class_width =
        std::max(class_width,
                 base::columns(base::printable(hierarchy::short_class(map.tree()[row.module].class_name))));
  }
  name_width = std::min<std::size_t>(name_width, 64);
  class_width = std::min<std::size_t>(class_width, 40);
  const auto pad = [&](std::string_view text, std::size_t width) {
    const std::size_t used = base::columns(text);
    out.add(text);
    out.add(std::string(used < width ? width - used : 0, ' '));
  };
  if (options.colour) out.add(bold);
  pad("module", name_width);
  out.add("  ");
  pad("class", class_width);
  out.add(fmt::format("  {:>7}  {:>7}  {:>10}  {:>8}  role", "nodes", "own", "parameters", "bytes"));
  if (options.colour) out.add(plain);
  out.add("\n");
  for (const TreeRow& row : rows) {
    const bool faint = options.colour && row.nodes == 0;
    if (faint) out.add(dim);
    pad(label(map, row), name_width);
    out.add("  ");
    pad(base::printable(hierarchy::short_class(map.tree()[row.module].class_name)), class_width);
    std::string numbers =
        fmt::format("  {:>7}  {:>7}  {:>10}  {:>8}  {}", row.nodes, row.own_nodes,
                    short_number(row.parameters), short_number(row.bytes), role(map, row.module));
    while (numbers.ends_with(' ')) numbers.pop_back();
    out.add(numbers);
    if (faint) out.add(plain);
    out.add("\n");
  }
  out.flush();
}

void write_tree_json(const semantics::Map& map, const TreeOptions& options, bool lines, base::Writer& out) {
  if (!lines) {
    out.add(R"({"schema":"thence.tree/1","model":)");
    append_json_string(out.buffer(), map.model().file());
    out.add(",\n\"modules\":[");
  }
  bool first = true;
  for (const TreeRow& row : tree_rows(map, options)) {
    if (!lines) out.add(first ? "\n" : ",\n");
    first = false;
    std::string& text = out.buffer();
    const hierarchy::Module& module = map.tree()[row.module];
    text += R"({"path":)";
    append_json_string(text, module.path);
    text += R"(,"class":)";
    append_json_string_or_null(text, module.class_name);
    const semantics::Role role = map.role(row.module);
    text += R"(,"semantic_type":)";
    append_json_string_or_null(text, role.type);
    text += R"(,"component":)";
    append_json_string_or_null(text, role.component);
    fmt::format_to(std::back_inserter(text),
                   R"(,"depth":{},"nodes":{},"own_nodes":{},"parameters":{},"bytes":{}}})", row.depth,
                   row.nodes, row.own_nodes, row.parameters, row.bytes);
    if (lines) out.add("\n");
  }
  if (!lines) {
    std::size_t unknown = map.summary().unknown;
    out.add(fmt::format("],\n\"unknown_nodes\":{}}}\n", unknown));
  }
  out.flush();
}

void write_tree_csv(const semantics::Map& map, const TreeOptions& options, base::Writer& out) {
  out.add("path,class,depth,nodes,own_nodes,parameters,bytes\n");
  for (const TreeRow& row : tree_rows(map, options)) {
    append_csv_field(out.buffer(), map.tree()[row.module].path);
    out.add(',');
    append_csv_field(out.buffer(), map.tree()[row.module].class_name);
    out.add(fmt::format(",{},{},{},{},{}\n", row.depth, row.nodes, row.own_nodes, row.parameters, row.bytes));
  }
  out.flush();
}

}  // namespace thence::output
