#include "base/json_stream.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/limits.h"

namespace thence::base {
namespace {

bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Finds where items of an array end. Only strings and brackets matter for that; the parser checks the rest.
class ItemScanner {
 public:
  explicit ItemScanner(std::string_view text) : text_(text) {}

  void skip_space() {
    while (at_ < text_.size() && is_json_space(text_[at_])) ++at_;
  }
  std::size_t position() const { return at_; }
  void move_to(std::size_t position) { at_ = position; }
  char current() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool is_at_end() const { return at_ == text_.size(); }

  // Moves to the first comma between items from `wanted` on, or to the bracket that closes the array. False
  // if the text ends before, or the item there exceeds the limit.
  bool find_boundary(std::size_t wanted) {
    const std::size_t end = std::min(text_.size(), wanted + max_json_item_bytes);
    for (; at_ < end; ++at_) {
      switch (text_[at_]) {
        case '"': skip_string(end); break;
        case '[':
        case '{': ++depth_; break;
        case ']':
        case '}':
          if (depth_ == 0) return true;
          --depth_;
          break;
        case ',':
          if (depth_ == 0 && at_ >= wanted) return true;
          break;
        default: break;
      }
    }
    return false;
  }

 private:
  // To the closing quote.
  void skip_string(std::size_t end) {
    for (++at_; at_ < end && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0, depth_ = 0;
};

// Moves the scanner to the end of the next chunk: a comma between items, or the end of the array.
std::optional<JsonStreamError> find_chunk(ItemScanner& scanner, std::size_t size) {
  const std::size_t begin = scanner.position();
  if (!scanner.find_boundary(begin + json_chunk_bytes))
    return scanner.position() >= size ? JsonStreamError{"the text ends in the middle of the array", size}
                                      : JsonStreamError{"an item of the array is too long", begin};
  if (scanner.current() == '}') return JsonStreamError{"a bracket does not fit", scanner.position()};
  return std::nullopt;
}

}  // namespace

std::optional<JsonStreamError> for_each_json_item(std::string_view text,
                                                  const std::function<bool(JsonValue)>& use) {
  ItemScanner scanner(text);
  scanner.skip_space();
  if (scanner.current() != '[') return JsonStreamError{"the text is not a JSON array", scanner.position()};
  JsonChunkParser parser;
  for (bool is_first = true, is_last = false; !is_last; is_first = false) {
    scanner.move_to(scanner.position() + 1);
    const std::size_t begin = scanner.position();
    if (const std::optional<JsonStreamError> error = find_chunk(scanner, text.size())) return error;
    is_last = scanner.current() == ']';
    const std::string_view chunk = text.substr(begin, scanner.position() - begin);
    if (is_first && is_last && std::all_of(chunk.begin(), chunk.end(), is_json_space)) break;
    const JsonValue items = parser.parse_items(chunk);
    if (parser.error()) return JsonStreamError{*parser.error(), begin};
    for (const JsonValue item : items.items())
      if (!use(item)) return std::nullopt;
    if (items.items().begin() == items.items().end())
      return JsonStreamError{"an item of the array is missing", begin};
  }
  scanner.move_to(scanner.position() + 1);
  scanner.skip_space();
  if (scanner.is_at_end()) return std::nullopt;
  return JsonStreamError{"there is more text after the array", scanner.position()};
}

}  // namespace thence::base
