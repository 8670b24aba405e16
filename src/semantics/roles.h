// A module's role: the kind of part it is, by the words in its name and in those of the modules around it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "modules/module_tree.h"

namespace thence::semantics {

/// Views into the lexicon; empty if no word fits.
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
  struct Reading {
    std::string_view type, weak_type, whole, component;
    bool places = true;                 // whether a component names a place in the type
    std::uint64_t classifications = 0;  // a bit for each of the lexicon's that fits
  };
  // What the modules from the inside out name so far.
  struct Search {
    Role role;
    std::string_view weak_type;
    std::uint64_t classifications = 0;
  };
  const Reading& read(const modules::Module& module);
  static bool ends_search(Search& search, const Reading& reading, bool is_layer);
  std::string_view whole_around(const modules::ModuleTree& tree, modules::ModuleId module);

  std::unordered_map<std::string, Reading> readings_;  // by name and class
  std::string key_;
};

}  // namespace thence::semantics
