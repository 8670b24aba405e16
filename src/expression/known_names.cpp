#include "expression/known_names.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "base/nearest_names.h"
#include "expression/operator_names.h"
#include "semantics/lexicon.h"

namespace thence::expression {
namespace {

using modules::ModuleId;
using semantics::Map;
using Names = std::unordered_set<std::string>;

void add_entries(const std::vector<semantics::LexiconEntry>& entries, Names& names) {
  for (const semantics::LexiconEntry& entry : entries) names.insert(entry.name);
}

void add_types(const Map& map, Names& names) {
  const semantics::Lexicon& lexicon = semantics::Lexicon::shipped();
  add_entries(lexicon.types, names);
  add_entries(lexicon.weak_types, names);
  for (ModuleId module = 0; module < map.tree().size(); ++module) names.emplace(map.role(module).type);
}

void add_components(const Map& map, Names& names) {
  add_entries(semantics::Lexicon::shipped().components, names);
  for (ModuleId module = 0; module < map.tree().size(); ++module) names.emplace(map.role(module).component);
}

void add_classes(const modules::ModuleTree& tree, Names& names) {
  std::string_view previous;
  for (ModuleId module = 0; module < tree.size(); ++module) {
    const std::string_view name = tree[module].class_name;
    if (name.data() == previous.data()) continue;
    previous = name;
    names.emplace(name);
    names.emplace(modules::short_class(name));
  }
}

// Names of operators and domains are interned, and most nodes repeat a few of them.
template <class Read>
void add_of_nodes(const onnx::Model& model, Read read, Names& names) {
  std::unordered_set<const char*> seen;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    if (const std::string_view name = read(model.node(id)); seen.insert(name.data()).second)
      names.emplace(name);
}

void add_sources(Names& names) {
  for (std::size_t i = 0; i < evidence::source_count; ++i)
    names.emplace(evidence::name_of(static_cast<evidence::Source>(i)));
}

void add_reasons(Names& names) {
  names.emplace("classes_unknown");
  for (int i = 1; i < static_cast<int>(resolve::Reason::count); ++i)
    names.emplace(resolve::name_of(static_cast<resolve::Reason>(i)));
}

// Without the empty name.
std::vector<std::string_view> sorted(const Names& names) {
  std::vector<std::string_view> list;
  for (const std::string& one : names)
    if (!one.empty()) list.push_back(one);
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace

bool KnownNames::has(Vocabulary vocabulary, std::string_view name) {
  if (vocabulary == Vocabulary::any) return true;
  if (vocabulary == Vocabulary::modules)
    return name == "(root)" || map_.tree().find(name) != modules::no_module;
  return names(vocabulary).contains(std::string(name)) ||
         absent_names(vocabulary).contains(std::string(name));
}

std::string KnownNames::hint(Vocabulary vocabulary, std::string_view name) {
  if (vocabulary == Vocabulary::classes && !map_.tree().has_classes())
    return "the file has no classes: give a capture with --capture";
  base::NameHint hint(name);
  if (vocabulary == Vocabulary::modules) {
    for (ModuleId module = 1; module < map_.tree().size(); ++module) hint.add(map_.tree()[module].path);
  } else {
    for (const std::string_view one : sorted(names(vocabulary))) hint.add(one);
  }
  std::string text = hint.text();
  if (!hint.has_near()) {
    base::NameHint absent(name);
    if (vocabulary != Vocabulary::classes)  // which the map cannot report
      for (const std::string_view one : sorted(absent_names(vocabulary))) absent.add(one);
    if (absent.has_near()) return absent.text();
  }
  if (!text.empty()) return text;
  return vocabulary == Vocabulary::modules ? "'thence show' lists the modules"
                                           : "'thence map' lists the names";
}

const KnownNames::Names& KnownNames::names(Vocabulary vocabulary) {
  std::optional<Names>& names = names_[static_cast<std::size_t>(vocabulary)];
  if (!names) names = read_names(vocabulary);
  return *names;
}

const KnownNames::Names& KnownNames::absent_names(Vocabulary vocabulary) {
  std::optional<Names>& names = absent_names_[static_cast<std::size_t>(vocabulary)];
  if (names) return *names;
  names.emplace();
  if (vocabulary == Vocabulary::operators)
    for (const std::string_view one : standard_operators()) names->emplace(one);
  if (vocabulary == Vocabulary::domains) *names = {"ai.onnx", "ai.onnx.ml", "com.microsoft"};
  // Rules and granularity may report other modules than those of the model.
  if (vocabulary == Vocabulary::classes) add_classes(map_.own_tree(), *names);
  return *names;
}

KnownNames::Names KnownNames::read_names(Vocabulary vocabulary) const {
  Names names;
  switch (vocabulary) {
    case Vocabulary::operators:
      add_of_nodes(map_.model(), [](const onnx::Node& node) { return node.op_type(); }, names);
      break;
    case Vocabulary::domains:
      add_of_nodes(map_.model(), [](const onnx::Node& node) { return node.domain(); }, names);
      names.emplace();  // the domain of ONNX itself
      break;
    case Vocabulary::classes: add_classes(map_.tree(), names); break;
    case Vocabulary::roles: add_roles(names); break;
    case Vocabulary::types: add_types(map_, names); break;
    case Vocabulary::components: add_components(map_, names); break;
    case Vocabulary::sources: add_sources(names); break;
    case Vocabulary::module_kinds: names = {"module", "scope"}; break;
    case Vocabulary::levels: names = {"high", "medium", "low", "none"}; break;
    case Vocabulary::reasons: add_reasons(names); break;
    case Vocabulary::any:
    case Vocabulary::modules: break;
  }
  return names;
}

// As the column reads them: a type, a classification, or a type with a component.
void KnownNames::add_roles(Names& names) const {
  add_entries(semantics::Lexicon::shipped().classifications, names);
  add_types(map_, names);
  ColumnReader reader(map_);
  const Column& column = *find_column("role");
  Value value;
  for (ModuleId module = 0; module < map_.tree().size(); ++module) {
    value.clear();
    column.read(reader, {.module = module}, value);
    for (const std::string_view text : value.texts) names.emplace(text);
  }
}

}  // namespace thence::expression
