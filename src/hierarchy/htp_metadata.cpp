#include "hierarchy/htp_metadata.h"

#include <fmt/core.h>

#include "base/text.h"
#include "hierarchy/json_read.h"

namespace thence::hierarchy {
namespace {

namespace dom = simdjson::dom;

class Reader {
 public:
  Reader(const std::string& label, ModuleTree& tree) : label_(label), tree_(tree) {}

  /// A module and those inside it. Its path is its scope or, without one, made of the names around it.
  std::optional<Error> read_nested(dom::element item, const std::string& around, std::size_t depth) {
    const std::string path(text_or(item, "scope", around));
    if (depth > ModuleTree::max_depth) return bad(path);
    if (auto error = add(path, item)) return error;
    dom::object children;
    if (item["children"].get_object().get(children) != simdjson::SUCCESS) return std::nullopt;
    for (const auto& [name, child] : children) {
      std::string inner = path;
      if (!inner.empty()) inner.push_back('.');
      if (auto error = read_nested(child, inner.append(name), depth + 1)) return error;
    }
    return std::nullopt;
  }

  /// Older files: every module by its path, in one object.
  std::optional<Error> read_flat(dom::object modules) {
    for (const auto& [path, item] : modules)
      if (auto error = add(path, item)) return error;
    return std::nullopt;
  }

 private:
  std::optional<Error> add(std::string_view path, dom::element item) {
    const std::string_view name = text_or(item, "class", text_or(item, "class_name", ""));
    return tree_.add(path, name) == no_module ? bad(path) : std::nullopt;
  }

  std::optional<Error> bad(std::string_view path) const {
    return Error{ErrorKind::bad_input, "C003",
                 fmt::format("{}: '{}' is no module path", base::printable(label_),
                             base::printable(path.substr(0, 200))),
                 "write it anew; docs/compatibility.md describes the file"};
  }

  const std::string& label_;
  ModuleTree& tree_;
};

}  // namespace

bool is_htp_metadata(dom::element file) {
  dom::object modules, nodes;
  return file["schema"].error() != simdjson::SUCCESS &&
         file["modules"].get_object().get(modules) == simdjson::SUCCESS &&
         file["nodes"].get_object().get(nodes) == simdjson::SUCCESS;
}

Result<Capture> read_htp_metadata(dom::element file, const std::string& label) {
  Capture capture;
  capture.sections.emplace_back("hierarchy");
  Reader reader(label, capture.tree);
  dom::element modules = file["modules"];
  const bool nested = modules["class_name"].is_string();
  std::optional<Error> error =
      nested ? reader.read_nested(modules, "", 0) : reader.read_flat(modules.get_object().value_unsafe());
  if (error) return *std::move(error);
  return capture;
}

}  // namespace thence::hierarchy
