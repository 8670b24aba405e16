// JsonWriter: appends JSON to a string and adds commas. The caller controls the layout: between two items
// only a comma is written, unless a line break is requested.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/json_text.h"

namespace thence::base {

/// A key known at compile time, as the bytes `,"key":`, so that writing it is one append.
template <std::size_t size>
struct JsonKey {
  consteval JsonKey(const char (&name)[size]) {  // NOLINT: a conversion on purpose
    std::size_t at = 0;
    bytes[at++] = ',';
    bytes[at++] = '"';
    for (std::size_t i = 0; i + 1 < size; ++i) {
      if (name[i] < 0x20 || name[i] == '"' || name[i] == '\\') throw "a key that needs escapes";
      bytes[at++] = name[i];
    }
    bytes[at++] = '"';
    bytes[at++] = ':';
  }
  constexpr std::string_view text() const { return {bytes.data(), bytes.size()}; }

  std::array<char, size + 3> bytes{};
};

class JsonWriter {
 public:
  /// The state at the end of the string. After an item (a value, or a member of an object) the next item
  /// needs a comma.
  enum class Position { start, after_item };

  explicit JsonWriter(std::string& out, Position position = Position::start)
      : out_(out), comma_(position == Position::after_item) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  void end_array_on_new_line() {
    out_.push_back('\n');
    end(']');
  }
  void end_object_on_new_line() {
    out_.push_back('\n');
    end('}');
  }

  void key(std::string_view name) {
    put_comma();
    append_json_string(out_, name);
    out_.push_back(':');
    comma_ = false;
  }
  template <JsonKey name>
  void key() {
    out_.append(comma_ ? name.text() : name.text().substr(1));
    comma_ = false;
  }

  void value(std::string_view text) {
    put_comma();
    append_json_string(out_, text);
    comma_ = true;
  }
  template <std::integral Number>
    requires(!std::same_as<Number, char>)
  void value(Number number) {
    put_comma();
    if constexpr (std::same_as<Number, bool>)
      out_.append(number ? std::string_view("true") : std::string_view("false"));
    else
      append_integer(out_, number);
    comma_ = true;
  }
  void null() { verbatim("null"); }
  /// Writes null for an empty text.
  void value_or_null(std::string_view text) { text.empty() ? null() : value(text); }
  /// Writes `digits` significant digits. The number must be finite, because JSON has no infinity.
  template <std::floating_point Number>
  void real(Number number, int digits) {
    put_comma();
    append_format(out_, "{:.{}g}", number, digits);
    comma_ = true;
  }
  /// Writes a value that is already JSON.
  void verbatim(std::string_view json) {
    put_comma();
    out_.append(json);
    comma_ = true;
  }
  template <class Items>
  void array(const Items& items) {
    begin_array();
    for (const auto& item : items) value(item);
    end_array();
  }

  // Writes a key and its value.
  template <JsonKey name>
  void member(const auto& item) {
    key<name>();
    value(item);
  }
  template <JsonKey name>
  void member_or_null(std::string_view text) {
    key<name>();
    value_or_null(text);
  }
  template <JsonKey name>
  void null() {
    key<name>();
    null();
  }
  template <JsonKey name>
  void real(std::floating_point auto number, int digits) {
    key<name>();
    real(number, digits);
  }
  template <JsonKey name>
  void verbatim(std::string_view json) {
    key<name>();
    verbatim(json);
  }
  template <JsonKey name>
  void array(const auto& items) {
    key<name>();
    array(items);
  }
  template <JsonKey name>
  void begin_object() {
    key<name>();
    begin_object();
  }
  template <JsonKey name>
  void begin_array() {
    key<name>();
    begin_array();
  }

  /// Appends members that another JsonWriter wrote from Position::after_item, so they begin with a comma.
  void append_members(std::string_view members) {
    out_.append(members);
    comma_ = true;
  }

  /// Puts the next item on a new line.
  void new_line(std::string_view indent = {}) {
    out_.append(comma_ ? std::string_view(",\n") : std::string_view("\n"));
    out_.append(indent);
    comma_ = false;
  }
  /// The same, except before the first item of a list.
  void new_line_between() {
    if (comma_) new_line();
  }
  /// Writes a space before the next item or value, after the comma if there is one.
  void space() {
    put_comma();
    out_.push_back(' ');
    comma_ = false;
  }

 private:
  void put_comma() {
    if (comma_) out_.push_back(',');
  }
  void begin(char bracket) {
    put_comma();
    out_.push_back(bracket);
    comma_ = false;
  }
  void end(char bracket) {
    out_.push_back(bracket);
    comma_ = true;
  }

  std::string& out_;
  bool comma_;  // whether the next item needs a comma
};

}  // namespace thence::base
