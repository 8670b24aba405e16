// The role of a module: the kind of part it is, from the words in its name and in the names of the modules
// around it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "modules/module_tree.h"

namespace thence::semantics {

/// Views into the lexicon; empty if no word matches.
struct Role {
  std::string_view type;
  std::string_view component;
  std::string_view classification;
};

/// Reads roles. Layers repeat the same few names, so each name is looked up once.
class RoleReader {
 public:
  Role of(const modules::ModuleTree& tree, modules::ModuleId module);

 private:
  struct LexiconMatch {
    std::string_view type, weak_type, whole, component;
    bool has_components = true;         // whether a component names a part of the type
    std::uint64_t classifications = 0;  // one bit for each matching classification of the lexicon
  };
  // The result so far of the search from the module outwards.
  struct Search {
    Role role;
    std::string_view weak_type;
    std::uint64_t classifications = 0;
  };
  const LexiconMatch& find_match(const modules::Module& module);
  static bool ends_search(Search& search, const LexiconMatch& match, bool is_layer);
  std::string_view whole_around(const modules::ModuleTree& tree, modules::ModuleId module);

  std::unordered_map<std::string, LexiconMatch> matches_;  // by name and class
  std::string key_;
};

}  // namespace thence::semantics
