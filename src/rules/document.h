// A TOML document as plain values with their positions. toml++ parses it and takes long to compile, so only
// document.cpp includes it.
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
  SourcePosition position;
  std::string text;  // for a string
  std::int64_t number = 0;
  std::vector<Value> items;    // for a list
  std::vector<Entry> entries;  // for a table
};

struct Entry {
  std::string key;
  SourcePosition position;
  Value value;
};

/// Reads any bytes. Errors name `file`.
Result<Value> read_document(std::string_view bytes, const std::string& file);

}  // namespace thence::rules
