// UniqueNames: makes names distinct by appending numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/format.h"

namespace thence::base {

class UniqueNames {
 public:
  explicit UniqueNames(char before_number) : before_number_(before_number) {}
  /// False if the name is already in use.
  bool reserve(std::string name) { return used_.insert(std::move(name)).second; }
  std::string make_unique(const std::string& name) {
    if (reserve(name)) return name;
    std::uint32_t& number = last_[name];
    while (true)
      if (std::string next = format("{}{}{}", name, before_number_, ++number); reserve(next)) return next;
  }

 private:
  char before_number_;
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, std::uint32_t> last_;
};

}  // namespace thence::base
