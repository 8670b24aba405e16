#include "capture/htp_metadata.h"

#include "base/format.h"
#include "base/json.h"
#include "base/text.h"

namespace thence::capture {
namespace {

using base::JsonValue;

class Reader {
 public:
  Reader(const std::string& label, ModuleTree& tree) : label_(label), tree_(tree) {}

  /// Reads a module and its children. Its path is its scope or, without one, made of the names of the outer
  /// modules.
  std::optional<Error> read_nested(JsonValue item, const std::string& parent_path, std::size_t depth) {
    const std::string path(item["scope"].text_or(parent_path));
    if (depth > ModuleTree::max_depth) return bad(path);
    if (auto error = add(path, item)) return error;
    for (const auto& [name, child] : item["children"].members()) {
      std::string inner = path;
      if (!inner.empty()) inner.push_back('.');
      if (auto error = read_nested(child, inner.append(name), depth + 1)) return error;
    }
    return std::nullopt;
  }

  /// Older files list every module by path in one object.
  std::optional<Error> read_flat(JsonValue modules) {
    for (const auto& [path, item] : modules.members())
      if (auto error = add(path, item)) return error;
    return std::nullopt;
  }

 private:
  std::optional<Error> add(std::string_view path, JsonValue item) {
    const std::string_view name = item["class"].text_or(item["class_name"].text_or({}));
    return tree_.add(path, name) == no_module ? bad(path) : std::nullopt;
  }

  std::optional<Error> bad(std::string_view path) const {
    return Error{ErrorKind::bad_input, "C003",
                 base::format("{}: '{}' is not a module path", base::printable(label_),
                              base::printable(path.substr(0, 200))),
                 "write it again; docs/compatibility.md describes the file"};
  }

  const std::string& label_;
  ModuleTree& tree_;
};

}  // namespace

bool is_htp_metadata(JsonValue file) {
  return !file["schema"].exists() && file["modules"].is_object() && file["nodes"].is_object();
}

Result<Capture> read_htp_metadata(JsonValue file, const std::string& label) {
  Capture capture;
  capture.sections.emplace_back("hierarchy");
  Reader reader(label, capture.tree);
  const JsonValue modules = file["modules"];
  const bool nested = modules["class_name"].text().has_value();
  std::optional<Error> error = nested ? reader.read_nested(modules, "", 0) : reader.read_flat(modules);
  if (error) return *std::move(error);
  return capture;
}

}  // namespace thence::capture
