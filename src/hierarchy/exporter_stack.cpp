#include "hierarchy/exporter_stack.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "hierarchy/limits.h"
#include "hierarchy/python_literal.h"

namespace thence::hierarchy {
namespace {

// Format "path: class/path: class". A path may contain "/" or ": " if a ModuleDict has such keys, so an entry
// ends only where the rest still contains ": ".
std::vector<StackFrame> split_namespace(std::string_view text) {
  std::vector<StackFrame> frames;
  while (!text.empty() && frames.size() < max_list_items) {
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) return {};
    const std::size_t slash = text.find('/', colon);
    StackFrame frame;
    frame.path = text.substr(0, colon);
    frame.class_name = text.substr(colon + 2, slash == std::string_view::npos ? slash : slash - colon - 2);
    frames.push_back(std::move(frame));
    text = slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
  }
  return frames;
}

std::optional<long> slice_number(std::string_view text, long otherwise) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (text == "None") return otherwise;
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The number of modules in a list. Its children are numbered from 0.
std::optional<long> list_length(const ModuleTree* tree, std::string_view list) {
  const ModuleId module = tree != nullptr && tree->is_complete() ? tree->find(list) : no_module;
  if (module == no_module) return std::nullopt;
  return static_cast<long>((*tree)[module].children.size());
}

// PyTorch marks a missing stack with an entry whose path and class are the same word. Classes are qualified
// by their package, so no module is written like this.
bool is_missing_stack_marker(const StackFrame& frame) {
  return !frame.path.empty() && frame.path == frame.class_name &&
         frame.class_name.find('.') == std::string::npos;
}

// A single word without a class or a root may be a module name or another marker.
bool needs_corroboration(const ExporterStack& stack) {
  if (stack.starts_at_root || stack.modules.size() != 1) return false;
  const StackFrame& frame = stack.modules.front();
  return frame.path.find('.') == std::string::npos && frame.class_name.find('.') == std::string::npos;
}

constexpr std::string_view slice_prefix = "slice(";
// A sliced list in a path, as in "layers.slice(2, None, None).3": the text to replace, and the resulting
// index.
struct SlicedList {
  std::size_t end;
  long index;
};

// Converts an index in a slice to an index in the list.
std::optional<long> index_in_list(std::optional<long> start, std::optional<long> step,
                                  std::optional<long> index) {
  if (!start || !step || !index || *start < 0 || *step <= 0) return std::nullopt;
  if (*index > max_slice_index || *step > max_slice_step || *start > max_slice_index) return std::nullopt;
  return *start + *index * *step;
}

std::optional<SlicedList> read_slice(std::string_view path, std::size_t at, const ModuleTree* tree) {
  const std::size_t close = path.find(')', at);
  if (close == std::string_view::npos || close + 1 >= path.size() || path[close + 1] != '.')
    return std::nullopt;
  const std::size_t inside = at + slice_prefix.size();
  const auto parts = base::split(path.substr(inside, close - inside), ',');
  const std::size_t end = std::min(path.find('.', close + 2), path.size());
  const std::string_view number = path.substr(close + 2, end - close - 2);
  if (parts.size() != 3 || !base::is_digits(number)) return std::nullopt;
  auto start = slice_number(parts[0], 0);
  if (start && *start < 0 && at > 0)
    if (const auto length = list_length(tree, path.substr(0, at - 1))) start = std::max(0L, *start + *length);
  const auto index = index_in_list(start, slice_number(parts[2], 1), slice_number(number, 0));
  if (!index) return std::nullopt;
  return SlicedList{end, *index};
}

}  // namespace

std::string resolve_slices(std::string_view path, const ModuleTree* tree) {
  // Too long for a module path, sliced or not.
  if (path.size() > 4 * ModuleTree::max_path_length) return std::string(path);
  std::string out(path);
  for (std::size_t at = out.find(slice_prefix); at != std::string::npos;
       at = out.find(slice_prefix, at + 1)) {
    const std::optional<SlicedList> slice = read_slice(out, at, tree);
    if (!slice) return std::string(path);
    out.replace(at, slice->end - at, std::to_string(slice->index));
  }
  return out;
}

namespace {

// The field of a key that thence writes; null for others.
std::string_view* tag_field(ExporterProperties& found, std::string_view key) {
  const std::pair<std::string_view, std::string_view*> fields[] = {
      {"module", &found.tag_module},           {"class", &found.tag_class},
      {"hf_module", &found.tag_hf_module},     {"tag", &found.tag_text},
      {"fingerprint", &found.tag_fingerprint}, {"confidence", &found.tag_confidence},
      {"modules", &found.tag_modules},         {"parts", &found.tag_parts},
      {"module_kind", &found.tag_kind},        {"call", &found.tag_call}};
  for (const auto& [name, field] : fields)
    if (key == name) return field;
  return nullptr;
}

}  // namespace

std::string_view exporter_operation(const onnx::Node& node) {
  std::string_view operation;
  node.for_each_metadata([&](const onnx::MetadataEntry& entry) {
    const MetadataDialects::Key* const key = MetadataDialects::shipped().find(entry.key);
    if (key != nullptr && key->field == MetadataField::operation) operation = entry.value;
  });
  return operation;
}

namespace {

// The part of the stack that a field holds; null for other fields. Of two dialects, the earlier row counts.
std::string_view* stack_field(ExporterProperties& found, const MetadataDialects::Key& key) {
  if (key.field == MetadataField::scopes || key.field == MetadataField::classes) {
    if (found.dialect && *found.dialect < *key.dialect) return nullptr;
    if (found.dialect && *found.dialect > *key.dialect) found.name_scopes = found.class_hierarchy = {};
    found.dialect = key.dialect;
    return key.field == MetadataField::scopes ? &found.name_scopes : &found.class_hierarchy;
  }
  if (key.field == MetadataField::name_space) return &found.name_space;
  if (key.field == MetadataField::class_path) return &found.class_path;
  return key.field == MetadataField::rewritten ? &found.rewrite_rule : nullptr;
}

}  // namespace

ExporterProperties exporter_properties(const onnx::Node& node) {
  constexpr std::string_view own_prefix = "pkg.thence.";
  ExporterProperties found;
  std::string_view added;  // written by thence, so it is not evidence
  node.for_each_metadata([&](const onnx::MetadataEntry& entry) {
    if (const MetadataDialects::Key* const known = MetadataDialects::shipped().find(entry.key)) {
      if (std::string_view* const field = stack_field(found, *known)) *field = entry.value;
    } else if (entry.key.starts_with(own_prefix)) {
      const std::string_view key = entry.key.substr(own_prefix.size());
      if (std::string_view* const field = tag_field(found, key)) *field = entry.value;
      found.tagged |= key == "module";
      if (key == "weight_owner") found.tag_weight_owner = entry.value;
      if (key == "added") added = entry.value;
    }
  });
  if (added == "namespace") found.name_space = {};
  return found;
}

std::optional<MetadataDialects::DialectId> find_dialect(const onnx::Model& model) {
  std::optional<MetadataDialects::DialectId> found;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const ExporterProperties properties = exporter_properties(model.node(id));
    if (!properties.dialect) continue;
    if (found && *found != *properties.dialect) return std::nullopt;
    found = properties.dialect;
  }
  return found;
}

namespace {

// Operations are written as `aten.mul.Tensor` or `<built-in function mul>`; classes may be written without
// their package. An operation that is written as a word has this word as its name.
bool is_bare_class(const StackFrame& frame) {
  return !frame.class_name.empty() && frame.class_name != frame.path &&
         frame.class_name.find_first_of(".<>[] ") == std::string::npos;
}

// Whether entries have their path below the entry before, and the last one is a module.
bool is_relative(const std::vector<StackFrame>& frames) {
  if (frames.empty() || !is_bare_class(frames.back())) return false;
  std::string_view outer;
  for (const StackFrame& frame : frames) {
    if (frame.path.empty()) continue;
    const bool extends = !outer.empty() && frame.path.size() > outer.size() &&
                         frame.path.starts_with(outer) && frame.path[outer.size()] == '.';
    if (extends) return false;
    outer = frame.path;
  }
  return true;
}

std::vector<StackFrame> read_frames(const ExporterProperties& properties) {
  const auto scopes = parse_string_list(properties.name_scopes);
  if (!scopes) return split_namespace(properties.name_space);
  const auto classes = parse_string_list(properties.class_hierarchy);
  const bool is_parallel = classes && classes->size() == scopes->size();
  std::vector<StackFrame> frames;
  for (std::size_t i = 0; i < scopes->size(); ++i)
    frames.push_back({(*scopes)[i], is_parallel ? (*classes)[i] : std::string()});
  return frames;
}

// Longer paths are none of modules: they and those inside are left out.
void join_paths(std::vector<StackFrame>& frames) {
  std::string outer;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    std::string& path = frames[i].path;
    if (!outer.empty()) path = path.empty() ? outer : outer + '.' + path;
    if (path.size() > ModuleTree::max_path_length) return frames.resize(i);
    outer = path;
  }
}

}  // namespace

ExporterStack read_stack(const ExporterProperties& properties) {
  const MetadataDialects& dialects = MetadataDialects::shipped();
  std::vector<StackFrame> frames = read_frames(properties);
  const std::optional<MetadataDialects::DialectId> id =
      properties.dialect ? properties.dialect : dialects.with_namespace(!is_relative(frames));
  if (!id || frames.empty()) return {};
  const MetadataDialect& dialect = dialects[*id];
  if (dialect.ends_with_operation) frames.pop_back();
  if (!dialect.is_cumulative) join_paths(frames);
  for (StackFrame& frame : frames) frame.path = resolve_slices(frame.path);
  if (dialect.has_qualified_classes) std::erase_if(frames, is_missing_stack_marker);
  ExporterStack stack;
  stack.modules = std::move(frames);
  stack.is_builders = !dialect.ends_with_operation;
  stack.starts_at_root = !stack.modules.empty() && stack.modules.front().path.empty();
  return stack;
}

namespace {

// The modules of a class below `outer`, with nothing but lists and layers of torch.nn between. At most two:
// then the class does not decide.
std::vector<ModuleId> find_below(const ModuleTree& tree, ModuleId outer, std::string_view class_name,
                                 std::string_view name, std::size_t& work_left) {
  std::vector<ModuleId> found, open = {outer};
  while (!open.empty() && found.size() < 2) {
    const ModuleId at = open.back();
    open.pop_back();
    for (const ModuleId child : tree[at].children) {
      if (work_left == 0) return {};
      --work_left;
      const bool fits = modules::short_class(tree[child].class_name) == class_name;
      if (fits && (name.empty() || tree[child].name() == name)) found.push_back(child);
      if (!fits && (tree[child].class_name.empty() || modules::is_torch_nn(tree[child].class_name)))
        open.push_back(child);
    }
  }
  return found;
}

}  // namespace

ModuleId find_by_classes(const ModuleTree& tree, std::string_view class_path) {
  if (!class_path.starts_with('/') || class_path.size() > ModuleTree::max_path_length) return no_module;
  std::size_t work_left = max_class_path_work;
  ModuleId at = no_module;
  for (const std::string_view entry : base::split(class_path.substr(1), '/')) {
    const std::size_t dot = entry.rfind('.');
    const std::string_view class_name = entry.substr(0, dot);
    const std::string_view name = dot == std::string_view::npos ? std::string_view() : entry.substr(dot + 1);
    if (at == no_module) {
      if (modules::short_class(tree[root].class_name) != class_name) return no_module;
      at = root;
      continue;
    }
    const std::vector<ModuleId> found = find_below(tree, at, class_name, name, work_left);
    if (found.size() != 1) return no_module;
    at = found.front();
  }
  return at;
}

std::optional<MetadataDialects::DialectId> StackReader::dialect_of_model() {
  if (!dialect_) dialect_ = find_dialect(model_);
  return *dialect_;
}

StackReader::StackModule StackReader::find(ExporterProperties properties) {
  const std::string_view text = properties.stack_text();
  if (text.empty()) return {};
  if (!properties.dialect) properties.dialect = dialect_of_model();
  // The text before an operation in the last entry. If that contains the separator, the key is longer than
  // necessary, but different stacks still have different keys.
  const MetadataDialects& dialects = MetadataDialects::shipped();
  const bool has_operation = properties.dialect && dialects[*properties.dialect].ends_with_operation;
  const std::string_view key =
      has_operation ? text.substr(0, text.rfind(properties.name_scopes.empty() ? "/" : ", ")) : text;
  seen_.resize(dialects.count() + std::size_t{1});
  auto& seen = seen_[properties.dialect.value_or(dialects.count())];
  if (const auto found = seen.find(key); found != seen.end()) return found->second;
  return seen.emplace(key, parse(properties)).first->second;
}

StackReader::StackModule StackReader::parse(const ExporterProperties& properties) {
  const ExporterStack stack = read_stack(properties);
  if (stack.modules.empty()) return {};
  if (!tree_.is_complete() && needs_corroboration(stack))
    return {.uncorroborated = &uncorroborated_.emplace_back(stack.modules.front().path)};
  StackModule found{no_module, stack.starts_at_root, stack.is_builders};
  ModuleId caller = root;
  for (const StackFrame& frame : stack.modules) {
    const std::string path = resolve_slices(frame.path, &tree_);
    // Slice from the end of a list of unknown length.
    const bool sliced = path.find("slice(") != std::string::npos;
    // The tree of a capture has every module, so a path that it lacks is a call path, not a module.
    const ModuleId module = sliced                       ? no_module
                            : tree_.is_complete_at(path) ? find_called(path, caller)
                                                         : tree_.add(path, frame.class_name);
    found.names_unlisted_module = module == no_module;  // the outer module is not the answer either
    found.module = module;
    if (module != no_module) caller = module;
  }
  return found;
}

ModuleId StackReader::find_called(std::string_view path, ModuleId caller) {
  const ModuleId module = tree_.find(path);
  return module == no_module ? no_module : tree_.as_called_by(caller, module);
}

}  // namespace thence::hierarchy
