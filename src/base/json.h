// Reads JSON. A failed lookup returns a missing value, and every lookup in a missing value fails as well. The
// header of simdjson is large, so only json.cpp includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace thence::base {

struct JsonMember;
class JsonValue;
template <class Part>
class JsonRange;
using JsonItems = JsonRange<JsonValue>;
using JsonMembers = JsonRange<JsonMember>;

/// A value of a document, or a missing value. Small, and valid as long as its document.
class JsonValue {
 public:
  bool exists() const { return document_ != nullptr; }
  bool is_null() const;
  bool is_array() const;
  bool is_object() const;

  /// The member of an object.
  JsonValue operator[](std::string_view key) const;

  // Empty if the value is missing or of another type.
  std::optional<std::string_view> text() const;
  std::optional<std::int64_t> integer() const;
  std::optional<std::uint64_t> natural() const;
  std::optional<double> real() const;
  std::optional<bool> boolean() const;
  std::string_view text_or(std::string_view otherwise) const { return text().value_or(otherwise); }

  /// The items of an array, or the members of an object; empty for other values.
  JsonItems items() const;
  JsonMembers members() const;

  std::string minified() const;

 private:
  friend struct JsonAccess;
  const void* document_ = nullptr;
  std::size_t at_ = 0;
};

struct JsonMember {
  std::string_view key;
  JsonValue value;
};

/// A range over the parts of an array or object; `Part` is a JsonValue or a JsonMember.
template <class Part>
class JsonRange {
 public:
  class Iterator {
   public:
    Part operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator&) const = default;

   private:
    friend struct JsonAccess;
    const void* document_ = nullptr;
    std::size_t at_ = 0;
  };
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  friend struct JsonAccess;
  Iterator begin_, end_;
};

template <>
JsonValue JsonItems::Iterator::operator*() const;
template <>
JsonItems::Iterator& JsonItems::Iterator::operator++();
template <>
JsonMember JsonMembers::Iterator::operator*() const;
template <>
JsonMembers::Iterator& JsonMembers::Iterator::operator++();

class JsonDocument {
 public:
  explicit JsonDocument(std::string_view text);
  ~JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;

  /// Why the text is not JSON; empty if it is valid.
  const std::optional<std::string>& error() const { return error_; }
  /// Missing if the text is not JSON.
  JsonValue root() const { return root_; }

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
  std::optional<std::string> error_;
  JsonValue root_;
};

/// Parses texts one after another and reuses its memory.
class JsonChunkParser {
 public:
  JsonChunkParser();
  ~JsonChunkParser();
  JsonChunkParser(const JsonChunkParser&) = delete;
  JsonChunkParser& operator=(const JsonChunkParser&) = delete;

  /// An array of the items in the text, which are separated by commas. Valid until the next call.
  JsonValue parse_items(std::string_view items);
  /// Why the last text is not JSON.
  const std::optional<std::string>& error() const { return error_; }

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
  std::optional<std::string> error_;
};

}  // namespace thence::base
