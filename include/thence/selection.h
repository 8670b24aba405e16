// Chooses nodes of a map.
#pragma once

#include <string>
#include <vector>

namespace thence {

/// Values of one member combine with OR; different members combine with AND. Paths and names are globs, as
/// in `thence query`: * matches within one part of a dotted path, ** any number of parts.
struct Selection {
  std::vector<std::string> modules = {};     // paths; "" is the root
  std::vector<std::string> under = {};       // paths: these modules and everything inside them
  std::vector<std::string> classes = {};     // short or qualified
  std::vector<std::string> roles = {};       // such as attention
  std::vector<std::string> components = {};  // such as query
  std::vector<std::string> layers = {};      // 2, 0-3, 5-, -1
  std::vector<std::string> ops = {};         // MatMul, com.microsoft::*
  std::vector<std::string> parameters = {};  // names in the state_dict, or of initializers
  double min_confidence = 0;
  bool unknown = false;    // only nodes without a module
  std::string where = {};  // an expression that must hold as well, as in `thence query --where`
};

}  // namespace thence
