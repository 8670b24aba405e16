// Einsum: sizes by letter. The work of two operands is one multiplication for each combination of letters; of
// more, it depends on the order in which they are taken, which is nobody's to say.
#include <array>
#include <string>

#include "shapes/rules.h"

namespace thence::shapes {
namespace {

struct Letters {
  std::array<Size, 128> sizes;
  std::array<bool, 128> seen{};
  std::string order;

  void meet(char letter, Size size) {
    const auto at = static_cast<unsigned char>(letter);
    if (!seen[at]) order += letter;
    if (!seen[at] || sizes[at].is(1) || (!sizes[at].is_number() && size.is_number() && !size.is(1)))
      sizes[at] = size;
    seen[at] = true;
  }
};

constexpr std::size_t longest = 256;
constexpr std::string_view dots = "...";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

void einsum(Call& call) {
  call.work.macs = {};
  std::string equation;
  for (const char c : call.text("equation")) {
    if (c != ' ') equation += c;
    if (equation.size() > longest) return;
  }
  const std::size_t arrow = equation.find("->");
  std::string left = equation.substr(0, arrow);
  if (left.find(dots) != std::string::npos || arrow == std::string::npos)
    return;  // rare enough to leave unknown
  const std::string right = equation.substr(arrow + 2);
  Letters letters;
  std::size_t input = 0, at = 0;
  Shape shape = call.shape(0);
  for (const char c : left) {
    if (c == ',') {
      shape = call.shape(++input);
      at = 0;
      continue;
    }
    if (!is_letter(c)) return;
    letters.meet(c, shape.known() && at < shape.rank() ? shape[at] : Size());
    ++at;
  }
  Shape to = Shape::of_rank(0);
  for (const char c : right) {
    if (!is_letter(c)) return;
    to.push(letters.sizes[static_cast<unsigned char>(c)]);
  }
  call.give(0, to);
  if (call.inputs() == 1) call.work.macs = 0;
  if (call.inputs() != 2) return;
  Size all = 1;
  for (const char c : letters.order)
    all = call.sizes.multiply(all, letters.sizes[static_cast<unsigned char>(c)]);
  call.work.macs = all;
}

}  // namespace thence::shapes
