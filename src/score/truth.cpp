#include "score/truth.h"

#include "base/format.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/text.h"

namespace thence::score {
namespace {

using base::JsonValue;
using modules::no_module;

// errors.md: a truth file
constexpr std::size_t max_truth_bytes = std::size_t{1} << 30;

Error bad_truth(const std::string& label, const char* code, const std::string& what) {
  return {ErrorKind::bad_input, code, base::format("{}: {}", base::printable(label), what),
          "give a truth file; docs/accuracy.md describes it"};
}

std::optional<Error> read_modules(JsonValue file, const std::string& label, modules::ModuleTree& tree) {
  std::optional<Error> error;
  std::size_t index = 0;
  for (const JsonValue item : file["modules"].items()) {
    const std::optional<std::string_view> path = item["path"].text();
    const modules::ModuleId module = path ? tree.add(*path, item["class"].text_or({})) : no_module;
    if (module == no_module && !error)
      error = bad_truth(label, "S003", base::format("module {} has no valid path", index));
    ++index;
    if (module == no_module) continue;
    for (const JsonValue alias : item["aliases"].items())
      if (const auto other = alias.text()) tree.add_alias(module, *other);
  }
  tree.set_complete();
  return error;
}

void add_paths(JsonValue list, std::vector<std::string>& paths) {
  for (const JsonValue item : list.items())
    if (const auto path = item.text()) paths.emplace_back(*path);
}

void add_call(JsonValue item, std::vector<std::uint32_t>& calls) {
  if (const auto number = item.natural(); number && *number <= 0xffffffff)
    calls.push_back(static_cast<std::uint32_t>(*number));
}

Result<TrueNode> read_node(JsonValue item, std::size_t row, const std::string& label, Truth& truth) {
  TrueNode node;
  const std::optional<std::uint64_t> index = item["index"].natural();
  const JsonValue module = item["module"];
  if (!index || *index > 0xffffffff || !module.exists())
    return bad_truth(label, "S003", base::format("node row {} has no index or no module", row));
  node.graph = item["graph"].text_or({});
  node.index = static_cast<std::uint32_t>(*index);
  node.kind = item["kind"].text_or({});
  if (module.is_null()) return node;
  const std::optional<std::string_view> path = module.text();
  if (!path || truth.tree.find(*path) == no_module)
    return bad_truth(label, "S003", base::format("node row {} names a module that is not in the list", row));
  node.module = truth.tree.find_as_called(*path);
  add_paths(item["accept"], node.accept);
  add_paths(item["modules"], node.members);
  add_paths(item["optional_modules"], node.optional_members);
  if (item["call"].exists()) add_call(item["call"], node.calls);
  for (const JsonValue call : item["other_calls"].items()) add_call(call, node.calls);
  return node;
}

}  // namespace

Result<Truth> read_truth(std::string_view text, const std::string& label) {
  if (text.size() > max_truth_bytes)
    return bad_truth(label, "S001",
                     base::format("has {} bytes; more than {} are not read", text.size(), max_truth_bytes));
  const base::JsonDocument document(text);
  if (document.error()) return bad_truth(label, "S001", base::format("not JSON: {}", *document.error()));
  const JsonValue file = document.root();
  if (const std::string_view schema = file["schema"].text_or({}); schema != "thence.truth/1")
    return bad_truth(
        label, "S002",
        base::format("not a truth file: its schema is '{}', not 'thence.truth/1'", base::printable(schema)));
  Truth truth;
  if (auto error = read_modules(file, label, truth.tree)) return *error;
  for (const JsonValue item : file["nodes"].items()) {
    Result<TrueNode> node = read_node(item, truth.nodes.size(), label, truth);
    if (!node) return node.error();
    truth.nodes.push_back(*std::move(node));
  }
  return truth;
}

Result<Truth> open_truth(const std::string& path) {
  Result<base::MappedFile> file = base::MappedFile::open(path);
  if (!file) return file.error();
  return read_truth(file->bytes(), path);
}

}  // namespace thence::score
