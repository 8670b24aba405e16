#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unordered_set>

#include "base/json.h"
#include "base/utf8.h"

namespace thence::fuzz {
namespace {

constexpr std::size_t size_bytes = 4;

void require_unique_keys(base::JsonValue value, std::string_view what) {
  std::unordered_set<std::string_view> keys;
  for (const base::JsonMember& member : value.members()) {
    if (!keys.insert(member.key).second)
      require(false, std::string(what) + ": the key occurs twice: " + std::string(member.key));
    require_unique_keys(member.value, what);
  }
  for (const base::JsonValue item : value.items()) require_unique_keys(item, what);
}

}  // namespace

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

std::pair<std::string_view, std::string_view> split_pair(std::string_view input) {
  if (input.size() < size_bytes) return {input, {}};
  std::size_t size = 0;
  for (std::size_t i = size_bytes; i-- > 0;) size = size << 8 | static_cast<unsigned char>(input[i]);
  input.remove_prefix(size_bytes);
  size = std::min(size, input.size());
  return {input.substr(0, size), input.substr(size)};
}

std::string join_pair(std::string_view first, std::string_view second) {
  std::string joined;
  for (std::size_t i = 0; i < size_bytes; ++i)
    joined.push_back(static_cast<char>(first.size() >> (8 * i) & 0xff));
  return joined.append(first).append(second);
}

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

std::string text_of(const std::function<void(base::Writer&)>& write) {
  std::string text;
  base::Writer out([&](std::string_view piece) {
    text += piece;
    return true;
  });
  write(out);
  out.flush();
  return text;
}

void require_json(const std::string& text, std::string_view what) {
  const base::JsonDocument document(text);
  if (document.error())
    require(false, std::string(what) + ": " + *document.error() + ":\n" + text.substr(0, 100'000));
  require_unique_keys(document.root(), what);
}

void require_json_lines(const std::string& text, std::string_view what) {
  require(text.empty() || text.back() == '\n', std::string(what) + ": the last line has no end");
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    require_json(std::string(rest.substr(0, end)), what);
    rest.remove_prefix(end + 1);
  }
}

void require_printable(std::string_view text, std::string_view what) {
  const bool is_clean = std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : byte == '\n' || byte == '\t';
  });
  if (!is_clean || !base::is_utf8(text))
    require(false, std::string(what) + ": not printable: " + std::string(text));
}

void require_reportable(const Error& error) {
  require(!error.code.empty() && !error.text.empty(), "an error has a code and a text");
  require(error.text.size() + error.hint.size() < 4000, "an error is short");
  require_printable(error.text, "error");
  require_printable(error.hint, "hint");
}

MemoryFile::MemoryFile(std::string_view content) : descriptor_(memfd_create("fuzz", 0)) {
  require(descriptor_ >= 0, "there is memory for a file");
  while (!content.empty()) {
    const ssize_t written = write(descriptor_, content.data(), content.size());
    require(written > 0, "there is memory for a file");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

MemoryFile::~MemoryFile() { close(descriptor_); }

std::string MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace thence::fuzz
