#include "base/json.h"

#include <simdjson.h>

#include <bit>

namespace thence::base {

namespace dom = simdjson::dom;

// The views of simdjson are a document and a position in it. These classes have the same two fields, so that
// the header does not need simdjson; bit_cast checks the sizes.
struct JsonAccess {
  static dom::element element(JsonValue value) { return std::bit_cast<dom::element>(value); }
  static JsonValue value(dom::element element) { return std::bit_cast<JsonValue>(element); }

  template <class Range, class View>
  static Range range(const View& view) {
    Range range;
    range.begin_ = std::bit_cast<typename Range::Iterator>(view.begin());
    range.end_ = std::bit_cast<typename Range::Iterator>(view.end());
    return range;
  }
};

namespace {

template <class T>
std::optional<T> get(JsonValue value) {
  T found{};
  if (!value.exists() || JsonAccess::element(value).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

}  // namespace

bool JsonValue::is_null() const { return exists() && JsonAccess::element(*this).is_null(); }
bool JsonValue::is_array() const { return exists() && JsonAccess::element(*this).is_array(); }
bool JsonValue::is_object() const { return exists() && JsonAccess::element(*this).is_object(); }

JsonValue JsonValue::operator[](std::string_view key) const {
  const std::optional<dom::object> object = get<dom::object>(*this);
  dom::element found;
  if (!object || object->at_key(key).get(found) != simdjson::SUCCESS) return {};
  return JsonAccess::value(found);
}

std::optional<std::string_view> JsonValue::text() const { return get<std::string_view>(*this); }
std::optional<std::int64_t> JsonValue::integer() const { return get<std::int64_t>(*this); }
std::optional<std::uint64_t> JsonValue::natural() const { return get<std::uint64_t>(*this); }
std::optional<double> JsonValue::real() const { return get<double>(*this); }
std::optional<bool> JsonValue::boolean() const { return get<bool>(*this); }

JsonItems JsonValue::items() const {
  const std::optional<dom::array> array = get<dom::array>(*this);
  return array ? JsonAccess::range<JsonItems>(*array) : JsonItems();
}

JsonMembers JsonValue::members() const {
  const std::optional<dom::object> object = get<dom::object>(*this);
  return object ? JsonAccess::range<JsonMembers>(*object) : JsonMembers();
}

std::string JsonValue::minified() const {
  return exists() ? simdjson::minify(JsonAccess::element(*this)) : std::string();
}

template <>
JsonValue JsonItems::Iterator::operator*() const {
  return JsonAccess::value(*std::bit_cast<dom::array::iterator>(*this));
}
template <>
JsonItems::Iterator& JsonItems::Iterator::operator++() {
  auto next = std::bit_cast<dom::array::iterator>(*this);
  return *this = std::bit_cast<Iterator>(++next);
}

template <>
JsonMember JsonMembers::Iterator::operator*() const {
  const auto at = std::bit_cast<dom::object::iterator>(*this);
  return {at.key(), JsonAccess::value(at.value())};
}
template <>
JsonMembers::Iterator& JsonMembers::Iterator::operator++() {
  auto next = std::bit_cast<dom::object::iterator>(*this);
  return *this = std::bit_cast<Iterator>(++next);
}

struct JsonDocument::Parsed {
  dom::parser parser;
};

JsonDocument::JsonDocument(std::string_view text) : parsed_(std::make_unique<Parsed>()) {
  const simdjson::padded_string padded(text);
  dom::element root;
  if (const auto error = parsed_->parser.parse(padded).get(root); error != simdjson::SUCCESS)
    error_ = simdjson::error_message(error);
  else
    root_ = JsonAccess::value(root);
}

JsonDocument::~JsonDocument() = default;
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;

struct JsonChunkParser::Buffers {
  dom::parser parser;
  std::string text;
};

JsonChunkParser::JsonChunkParser() : buffers_(std::make_unique<Buffers>()) {}
JsonChunkParser::~JsonChunkParser() = default;

JsonValue JsonChunkParser::parse_items(std::string_view items) {
  std::string& text = buffers_->text;
  text.assign(1, '[');
  text.append(items);
  text.push_back(']');
  const std::size_t size = text.size();
  text.append(simdjson::SIMDJSON_PADDING, ' ');  // the parser reads past the end
  dom::element root;
  const auto failure = buffers_->parser.parse(text.data(), size, false).get(root);
  error_ = failure == simdjson::SUCCESS ? std::nullopt
                                        : std::optional<std::string>(simdjson::error_message(failure));
  return error_ ? JsonValue() : JsonAccess::value(root);
}

}  // namespace thence::base
