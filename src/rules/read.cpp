#include "rules/read.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/format.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "rules/document.h"
#include "rules/limits.h"
#include "rules/rule_parser.h"

namespace thence::rules {
namespace {

constexpr std::string_view granularity_names[] = {"", "hf", "nn", "custom"};

constexpr std::string_view top_keys[] = {
    "version", "granularity", "torch_nn_exceptions", "show", "hide", "collapse", "join", "rename", "role"};

class Reader {
 public:
  explicit Reader(const std::string& file) : parser_(file) { rules_.file = file; }

  Result<Rules> read(const Value& document) {
    for (const Entry& entry : document.entries)
      if (auto error = read_top(entry)) return *error;
    std::stable_sort(rules_.rules.begin(), rules_.rules.end(),
                     [](const Rule& a, const Rule& b) { return a.position < b.position; });
    return std::move(rules_);
  }

 private:
  using OptionalError = std::optional<Error>;

  OptionalError read_top(const Entry& entry) {
    const auto kind = std::find(std::begin(rule_kind_names), std::end(rule_kind_names), entry.key);
    if (kind != std::end(rule_kind_names))
      return read_kind(static_cast<RuleKind>(kind - std::begin(rule_kind_names)), entry);
    if (entry.key == "version")
      return entry.value.type == Value::Type::number && entry.value.number == 1
                 ? OptionalError()
                 : parser_.rule_error(entry.value.position, "version must be 1",
                                      "write version = 1, or leave it out");
    if (entry.key == "granularity") return read_base(entry);
    if (entry.key == "torch_nn_exceptions") return read_exceptions(entry);
    return parser_.unknown_key(entry, top_keys);
  }

  OptionalError read_base(const Entry& entry) {
    const auto base = granularity_of(entry.value.text);
    if (!base || *base == Granularity::custom)
      return parser_.rule_error(entry.value.position, "granularity must be \"hf\" or \"nn\"",
                                "it is what show and hide start from");
    rules_.base = *base;
    rules_.base_given = true;
    return {};
  }

  OptionalError read_exceptions(const Entry& entry) {
    std::vector<std::string> classes;
    for (const Value& item : entry.value.items) {
      if (item.type != Value::Type::text || item.text.empty() || item.text.find('.') != std::string::npos)
        return parser_.rule_error(item.position, "an exception is the short name of a class",
                                  "such as \"Linear\", without its package");
      classes.push_back(item.text);
    }
    if (entry.value.type != Value::Type::list)
      return parser_.rule_error(entry.value.position, "torch_nn_exceptions must be a list of class names",
                                "such as [\"Linear\", \"LayerNorm\"]");
    rules_.torch_nn_exceptions = std::move(classes);
    return {};
  }

  // [[show]] is a list of tables; [show] is one.
  OptionalError read_kind(RuleKind kind, const Entry& entry) {
    if (entry.value.type == Value::Type::table) return read_rule(kind, entry.value);
    if (entry.value.type == Value::Type::list &&
        std::all_of(entry.value.items.begin(), entry.value.items.end(),
                    [](const Value& item) { return item.type == Value::Type::table; })) {
      for (const Value& item : entry.value.items)
        if (auto error = read_rule(kind, item)) return error;
      return {};
    }
    return parser_.rule_error(entry.value.position, base::format("{} must be tables", entry.key),
                              base::format("write [[{}]] and its keys below", entry.key));
  }

  OptionalError read_rule(RuleKind kind, const Value& table) {
    Result<Rule> rule = parser_.rule(kind, table);
    if (!rule) return rule.error();
    patterns_ += rule->paths.size() + rule->classes.size();
    if (patterns_ > max_patterns)
      return Error{ErrorKind::bad_input, "R004",
                   base::format("{}: more than {} patterns", format_position(rules_.file, table.position),
                                max_patterns),
                   "use fewer patterns, with * and **"};
    rules_.rules.push_back(*std::move(rule));
    return {};
  }

  RuleParser parser_;
  Rules rules_;
  std::size_t patterns_ = 0;
};

}  // namespace

Result<Rules> read_rules(std::string_view bytes, const std::string& file) {
  const Result<Value> document = read_document(bytes, file);
  if (!document) return document.error();
  return Reader(file).read(*document);
}

Result<Rules> open_rules(const std::string& path) {
  const Result<base::MappedFile> file = base::MappedFile::open(path);
  if (!file) return file.error();
  return read_rules(file->bytes(), path);
}

std::string find_rules() {
  namespace fs = std::filesystem;
  std::error_code failure;
  fs::path folder = fs::current_path(failure);
  for (std::string up; !failure; up += "../") {
    std::error_code ignored;
    if (fs::is_regular_file(up + default_file_name, ignored)) return up + default_file_name;
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return {};
}

std::optional<Granularity> granularity_of(std::string_view name) {
  const auto found = std::find(std::begin(granularity_names) + 1, std::end(granularity_names), name);
  if (found == std::end(granularity_names)) return std::nullopt;
  return static_cast<Granularity>(found - std::begin(granularity_names));
}

Error no_such_granularity(std::string_view name) {
  return {ErrorKind::usage, "U019", base::format("unknown granularity '{}'", base::printable(name)),
          "values: hf, nn, custom"};
}

std::string_view name_of(Granularity granularity) {
  return granularity_names[static_cast<std::size_t>(granularity)];
}

}  // namespace thence::rules
