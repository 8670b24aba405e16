// The role of a module: the kind of part it is, from what its nodes compute, the words in its name and in the
// names of the modules around it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "modules/module_tree.h"
#include "semantics/lexicon.h"
#include "semantics/module_operations.h"

namespace thence::semantics {

/// Views into the lexicon; empty if no word matches.
struct Role {
  std::string_view type;
  std::string_view component;
  std::string_view classification;
  std::string_view operation = {};                    // what the module computes, such as a linear projection
  std::span<const std::string> component_parts = {};  // if the component is several in one

  /// Whether a word is the component or one of its parts; `matches` decides about one.
  template <class Matches>
  bool has_component(const Matches& matches) const {
    if (component.empty()) return false;
    for (const std::string& part : component_parts)
      if (matches(std::string_view(part))) return true;
    return matches(component);
  }
  /// Query, key and value for the component qkv; a single component otherwise.
  template <class Use>
  void each_component(const Use& use) const {
    for (const std::string& part : component_parts) use(std::string_view(part));
    if (component_parts.empty() && !component.empty()) use(component);
  }
};

/// Reads roles. Layers repeat the same few names, so each name is looked up once.
class RoleReader {
 public:
  Role of(const modules::ModuleTree& tree, modules::ModuleId module, const ModuleOperation& operation = {});

 private:
  struct LexiconMatch {
    std::string_view type, weak_type, whole;
    const LexiconEntry* component = nullptr;
    bool has_components = true;         // whether a component names a part of the type
    std::uint64_t classifications = 0;  // one bit for each matching classification of the lexicon
  };
  // The result so far of the search from the module outwards.
  struct Search {
    Role role;
    const LexiconEntry* component = nullptr;
    std::string_view weak_type;
    std::uint64_t classifications = 0;
  };
  const LexiconMatch& find_match(const modules::Module& module, const LexiconEntry* operation = nullptr);
  static void use_operation(LexiconMatch& match, const LexiconEntry& operation);
  static void set_component(Search& search, const ModuleOperation& operation);
  static bool ends_search(Search& search, const LexiconMatch& match, bool is_layer);
  std::string_view whole_around(const modules::ModuleTree& tree, modules::ModuleId module);

  std::unordered_map<std::string, LexiconMatch> matches_;  // by name and class
  std::string key_;
};

}  // namespace thence::semantics
