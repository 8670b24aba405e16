#include "score/truth.h"

#include <fmt/core.h>
#include <simdjson.h>

#include "base/mapped_file.h"
#include "base/text.h"
#include "hierarchy/json_read.h"

namespace thence::score {
namespace {

namespace dom = simdjson::dom;
using hierarchy::each;
using hierarchy::no_module;
using hierarchy::number;
using hierarchy::text_or;

constexpr std::size_t largest = std::size_t{1} << 30;

Error bad(const std::string& label, const char* code, const std::string& what) {
  return {ErrorKind::bad_input, code, fmt::format("{}: {}", base::printable(label), what),
          "give a truth file; docs/accuracy.md describes it"};
}

std::optional<Error> read_modules(dom::element file, const std::string& label, hierarchy::ModuleTree& tree) {
  std::optional<Error> error;
  std::size_t index = 0;
  each(file, "modules", [&](dom::element item) {
    std::string_view path;
    const bool named = item["path"].get_string().get(path) == simdjson::SUCCESS;
    const hierarchy::ModuleId module = named ? tree.add(path, text_or(item, "class", {})) : no_module;
    if (module == no_module && !error)
      error = bad(label, "S003", fmt::format("module {} has no path that is one", index));
    ++index;
    if (module == no_module) return;
    each(item, "aliases", [&](dom::element alias) {
      std::string_view other;
      if (alias.get_string().get(other) == simdjson::SUCCESS) tree.add_alias(module, other);
    });
  });
  tree.set_complete();
  return error;
}

Result<TrueNode> read_node(dom::element item, std::size_t row, const std::string& label, const Truth& truth) {
  TrueNode node;
  const std::optional<std::uint64_t> index = number(item, "index");
  dom::element module;
  if (!index || *index > 0xffffffff || item["module"].get(module) != simdjson::SUCCESS)
    return bad(label, "S003", fmt::format("row {} of the nodes has no index or no module", row));
  node.graph = text_or(item, "graph", {});
  node.index = static_cast<std::uint32_t>(*index);
  node.kind = text_or(item, "kind", {});
  if (module.is_null()) return node;
  std::string_view path;
  if (module.get_string().get(path) != simdjson::SUCCESS || truth.tree.find(path) == no_module)
    return bad(label, "S003", fmt::format("row {} of the nodes names a module that is not in its list", row));
  node.module = truth.tree.find(path);
  each(item, "accept", [&](dom::element other) {
    std::string_view accepted;
    if (other.get_string().get(accepted) == simdjson::SUCCESS) node.accept.emplace_back(accepted);
  });
  return node;
}

}  // namespace

Result<Truth> read_truth(std::string_view text, const std::string& label) {
  if (text.size() > largest)
    return bad(label, "S001", fmt::format("has {} bytes; more than {} are not read", text.size(), largest));
  dom::parser parser;
  dom::element file;
  const simdjson::padded_string padded(text);
  if (const auto error = parser.parse(padded).get(file); error != simdjson::SUCCESS)
    return bad(label, "S001", fmt::format("is not JSON: {}", simdjson::error_message(error)));
  if (const std::string_view schema = text_or(file, "schema", {}); schema != "thence.truth/1")
    return bad(label, "S002",
               fmt::format("is not a truth file: its schema is '{}', not 'thence.truth/1'",
                           base::printable(schema)));
  Truth truth;
  if (auto error = read_modules(file, label, truth.tree)) return *error;
  std::optional<Error> error;
  each(file, "nodes", [&](dom::element item) {
    if (error) return;
    Result<TrueNode> node = read_node(item, truth.nodes.size(), label, truth);
    if (node)
      truth.nodes.push_back(*std::move(node));
    else
      error = node.error();
  });
  if (error) return *error;
  return truth;
}

Result<Truth> open_truth(const std::string& path) {
  Result<base::MappedFile> file = base::MappedFile::open(path);
  if (!file) return file.error();
  return read_truth(file->bytes(), path);
}

}  // namespace thence::score
