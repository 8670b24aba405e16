// A module's role: what kind of part it is, read from its own and its surroundings' names by the lexicon.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "modules/module_tree.h"

namespace thence::semantics {

/// Views into the lexicon; empty when no word fits.
struct Role {
  std::string_view type;
  std::string_view component;
  std::string_view classification;
};

/// Reads roles. Layers repeat the same few names over and over, so what a name says is looked up once.
class RoleReader {
 public:
  Role of(const modules::ModuleTree& tree, modules::ModuleId module);

 private:
  struct Reading {
    std::string_view type, weak_type, whole, component;
    bool places = true;                 // whether a component says where in the type
    std::uint64_t classifications = 0;  // a bit for each of the lexicon's that fits
  };
  const Reading& read(const modules::Module& module);
  std::string_view whole_around(const modules::ModuleTree& tree, modules::ModuleId module);

  std::unordered_map<std::string, Reading> readings_;  // by name and class
  std::string key_;
};

}  // namespace thence::semantics
