#include "base/brief.h"

#include "base/text.h"

namespace thence::base {
namespace {

// Longest text that is printed in full, and how much of the end of longer text is kept. In bytes.
constexpr std::size_t max_brief_bytes = 400, brief_end_bytes = 100;

}  // namespace

std::string brief(std::string_view text) {
  if (text.size() <= max_brief_bytes) return printable(text);
  return printable(text.substr(0, max_brief_bytes - brief_end_bytes)) + " ... " +
         printable(text.substr(text.size() - brief_end_bytes));
}

}  // namespace thence::base
