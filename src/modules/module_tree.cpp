#include "modules/module_tree.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/text.h"

namespace thence::modules {
namespace {

std::string_view parent_path(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

// Where the last atom of a path begins.
std::size_t name_start(std::string_view path) { return path.rfind('.') + 1; }

bool is_below(std::string_view path, std::string_view outer) {
  return path.size() > outer.size() &&
         (outer.empty() || (path.starts_with(outer) && path[outer.size()] == '.'));
}

bool well_formed(std::string_view path) {
  if (path.size() > ModuleTree::max_path_length) return false;
  if (static_cast<std::size_t>(std::count(path.begin(), path.end(), '.')) >= ModuleTree::max_depth)
    return false;
  return path.empty() ||
         (path.front() != '.' && path.back() != '.' && path.find("..") == std::string_view::npos);
}

// Bytes of memory per module, here and in other lists of modules, without its path.
constexpr std::size_t bytes_per_module = 400;

bool have_same_child_names(const ModuleTree& tree, const Module& a, const Module& b) {
  if (a.children.size() != b.children.size()) return false;
  for (std::size_t i = 0; i < a.children.size(); ++i)
    if (tree[a.children[i]].name() != tree[b.children[i]].name()) return false;
  return true;
}

}  // namespace

ModuleTree::ModuleTree() {
  modules_.emplace_back();
  index({}, root);
}

ModuleTree ModuleTree::copy() const {
  ModuleTree made;
  for (ModuleId id = 0; id < size(); ++id) {
    const Module& module = modules_[id];
    if (id != root) made.append(module.parent, module.path, module.name_at);
    made.set_class(id, module.class_name);
    made.modules_[id].calls = module.calls;
    made.modules_[id].first = module.first;
    made.modules_[id].is_scope = module.is_scope;
  }
  for (ModuleId id = 0; id < size(); ++id) made.copy_aliases(id, modules_[id]);
  if (is_complete_) made.set_complete(wrapped_at_);
  made.is_registered_ = is_registered_;
  return made;
}

std::vector<ModuleId> ModuleTree::ordered_children(ModuleId module) const {
  std::vector<ModuleId> children = modules_[module].children;
  if (!has_registration_order())
    std::sort(children.begin(), children.end(), [&](ModuleId a, ModuleId b) {
      return base::is_before_naturally(modules_[a].name(), modules_[b].name());
    });
  return children;
}

ModuleId ModuleTree::add(std::string_view path, std::string_view class_name) {
  ModuleId module = find(path);
  if (module == no_module) {
    if (!well_formed(path)) return no_module;
    const ModuleId parent = add(parent_path(path));  // recursion depth is at most max_depth
    if (parent == no_module || !charge_memory(bytes_per_module + path.size())) return no_module;
    module = append(parent, path, name_start(path));
  }
  set_class(module, class_name);
  return module;
}

ModuleId ModuleTree::add_child(ModuleId parent, std::string_view path, std::string_view class_name) {
  const std::string_view parent_path_text = modules_[parent].path;
  const bool extends_parent_path = !parent_path_text.empty() && path.size() > parent_path_text.size() + 1 &&
                                   path.starts_with(parent_path_text) && path[parent_path_text.size()] == '.';
  const ModuleId module = append(parent, path, extends_parent_path ? parent_path_text.size() + 1 : 0);
  set_class(module, class_name);
  return module;
}

ModuleId ModuleTree::append(ModuleId parent, std::string_view path, std::size_t name_at) {
  const ModuleId module = append_stored(parent, texts_.store(path), name_at);
  index(modules_[module].path, module);
  return module;
}

ModuleId ModuleTree::append_stored(ModuleId parent, std::string_view stored_path, std::size_t name_at) {
  const auto module = static_cast<ModuleId>(modules_.size());
  Module& added = modules_.emplace_back();
  added.path = stored_path;
  added.parent = parent;
  added.name_at = static_cast<std::uint32_t>(name_at);
  modules_[parent].children.push_back(module);
  modules_[parent].only_numbers &= base::is_digits(added.name());
  return module;
}

void ModuleTree::set_class(ModuleId module, std::string_view class_name) {
  if (!modules_[module].class_name.empty() || class_name.empty() || class_name.size() > max_class_length ||
      !charge_memory(class_name.size()))
    return;
  const auto known = class_names_.find(class_name);
  modules_[module].class_name =
      known != class_names_.end() ? *known : *class_names_.insert(texts_.store(class_name)).first;
  ++classes_;
}

bool ModuleTree::charge_memory(std::size_t bytes) {
  is_full_ |= bytes > memory_left_;
  if (is_full_) return false;
  memory_left_ -= bytes;
  return true;
}

void ModuleTree::add_alias(ModuleId module, std::string_view path) {
  if (!well_formed(path) || find(path) != no_module) return;
  const std::string_view alias = texts_.store(path);
  modules_[module].aliases.push_back(alias);
  has_aliases_ = true;
  index(alias, module);
}

void ModuleTree::copy_aliases(ModuleId module, const Module& original) {
  for (const std::string_view alias : original.aliases)
    if (find(alias) == no_module)
      add_alias(module, alias);
    else
      modules_[module].aliases.push_back(texts_.store(alias));
}

ModuleId ModuleTree::find_as_called(std::string_view path) {
  const std::uint32_t found = by_path_.find(path, [this](std::uint32_t i) { return paths_[i].text; });
  if (found == base::TextIndex::not_found) return no_module;
  const ModuleId first = paths_[found].module;
  if (modules_[first].path == path) return first;
  const ModuleId parent = find_as_called(parent_path(path));  // recursion depth is at most max_depth
  if (parent == no_module) return first;
  const ModuleId module = append_stored(parent, paths_[found].text, name_start(path));
  paths_[found].module = module;
  modules_[module].first = first;
  modules_[module].aliases.push_back(modules_[first].path);
  set_class(module, modules_[first].class_name);
  return module;
}

ModuleId ModuleTree::as_called_by(ModuleId caller, ModuleId module) {
  const ModuleId first = at_first_path(module);
  if (modules_[first].aliases.empty()) return first;
  const std::uint64_t key = std::uint64_t{caller} << 32 | first;
  if (const auto known = called_.find(key); known != called_.end()) return known->second;
  const std::size_t work = modules_[first].aliases.size();
  if (work > alias_comparisons_left_) return first;
  alias_comparisons_left_ -= work;
  const std::string_view outer = modules_[caller].path;
  std::string_view nearest;
  std::ptrdiff_t fewest_atoms = 0;
  const auto consider = [&](std::string_view path) {
    if (!is_below(path, outer)) return;
    const std::ptrdiff_t atoms = std::count(path.begin(), path.end(), '.');
    if (!nearest.empty() && atoms >= fewest_atoms) return;
    nearest = path;
    fewest_atoms = atoms;
  };
  consider(modules_[first].path);
  for (const std::string_view alias : modules_[first].aliases) consider(alias);
  return called_[key] = nearest.empty() ? first : find_as_called(nearest);
}

ModuleId ModuleTree::find(std::string_view path) const {
  const std::uint32_t found = by_path_.find(path, [this](std::uint32_t i) { return paths_[i].text; });
  return found == base::TextIndex::not_found ? no_module : paths_[found].module;
}

void ModuleTree::index(std::string_view path, ModuleId module) {
  paths_.push_back({path, module});
  by_path_.add(path, static_cast<std::uint32_t>(paths_.size() - 1));
}

bool ModuleTree::is_complete_at(std::string_view path) const {
  return is_complete_ && (wrapped_at_.empty() || path == wrapped_at_ || is_below(path, wrapped_at_));
}

bool ModuleTree::is_within(ModuleId inner, ModuleId outer) const {
  const std::string_view in = modules_[inner].path, out = modules_[outer].path;
  return out.empty() || (in.starts_with(out) && (in.size() == out.size() || in[out.size()] == '.'));
}

ModuleId ModuleTree::nearest_common_module(ModuleId a, ModuleId b) const {
  while (!is_within(b, a)) a = modules_[a].parent;
  return a;
}

ModuleId ModuleTree::nearest_runnable(ModuleId module) const {
  const auto is_container = [&](const Module& m) {
    if (m.calls) return *m.calls == 0;
    if (!m.class_name.empty())
      return short_class(m.class_name) == "ModuleList" || short_class(m.class_name) == "ModuleDict";
    return !m.children.empty() && m.only_numbers;
  };
  while (module != root && is_container(modules_[module])) module = modules_[module].parent;
  return module;
}

void ModuleTree::find_layers() {
  is_repeated_.resize(modules_.size());
  for (ModuleId id = 1; id < modules_.size(); ++id) is_repeated_[id] = is_repeated(modules_[id]);
}

// An integer atom is a layer number if the block repeats: a list of modules, siblings of one class or, if
// classes are unknown, a module with children, which is more than an element of a sequence.
bool ModuleTree::is_repeated(const Module& module) const {
  if (!base::is_digits(module.name())) return false;
  const Module& container = modules_[module.parent];
  if (short_class(container.class_name) == "ModuleList") return true;
  // A container with an unknown class in a tree that has classes was never called: it only holds its modules.
  if (module.class_name.empty() ||
      (container.class_name.empty() && has_classes() && !module.children.empty()))
    return !module.children.empty();
  std::size_t checked = 0;
  for (const ModuleId other : container.children) {
    const Module& sibling = modules_[other];
    if (&sibling != &module && sibling.class_name == module.class_name && base::is_digits(sibling.name()) &&
        have_same_child_names(*this, sibling, module))
      return true;
    if (++checked > max_compared_siblings) break;
  }
  return false;
}

std::vector<LayerStep> ModuleTree::layer_path(ModuleId module) const {
  std::vector<LayerStep> steps;
  for (ModuleId at = module; at != root; at = modules_[at].parent) {
    const Module& m = modules_[at];
    if (!(at < is_repeated_.size() ? is_repeated_[at] : is_repeated(m))) continue;
    const std::string_view name = m.name();
    std::uint64_t index = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), index).ec != std::errc()) continue;
    steps.push_back({modules_[m.parent].path, index});
  }
  std::reverse(steps.begin(), steps.end());
  steps.resize(std::min(steps.size(), max_layer_steps));
  return steps;
}

bool are_in_different_layers(std::string_view a, std::string_view b) {
  // Compare eight bytes at a time, because paths of one model share long prefixes.
  std::size_t at = 0;
  const std::size_t shorter = std::min(a.size(), b.size());
  while (at + 8 <= shorter && std::memcmp(a.data() + at, b.data() + at, 8) == 0) at += 8;
  while (at < shorter && a[at] == b[at]) ++at;
  if (at == a.size() && at == b.size()) return false;
  // Go back to the start of the atom in which they differ.
  while (at > 0 && a[at - 1] != '.') --at;
  const auto atom = [at](std::string_view path) {
    return at >= path.size() ? std::string_view() : path.substr(at, path.find('.', at) - at);
  };
  std::string_view atom_a = atom(a), atom_b = atom(b);
  if (atom_a == atom_b) {  // "x" and "x.y": they differ after the end of one of them
    return false;
  }
  return base::is_digits(atom_a) && base::is_digits(atom_b);
}

bool is_torch_nn(std::string_view class_name) { return class_name.starts_with("torch.nn."); }

std::string_view short_class(std::string_view class_name) {
  // "<locals>" in the name of a class defined inside a function contains no dot; "a.<locals>.B" is B.
  const std::size_t dot = class_name.rfind('.');
  return dot == std::string_view::npos ? class_name : class_name.substr(dot + 1);
}

}  // namespace thence::modules
