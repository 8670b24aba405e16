// A TOML document as plain values that know where they stand. What parses it is toml++, which takes long to
// compile: document.cpp alone sees it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rules/rules.h"

namespace thence::rules {

struct Entry;

struct Value {
  enum class Type { text, number, list, table, other };
  Type type = Type::other;
  Place place;
  std::string text;  // of a text
  std::int64_t number = 0;
  std::vector<Value> items;    // of a list
  std::vector<Entry> entries;  // of a table
};

struct Entry {
  std::string key;
  Place place;
  Value value;
};

/// Any bytes; `file` is how errors call them.
Result<Value> read_document(std::string_view bytes, const std::string& file);

}  // namespace thence::rules
