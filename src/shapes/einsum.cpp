// Einsum: finds the sizes by letter. The work of two operands is one multiplication per combination of
// letters. With more operands, it depends on their order of evaluation, which is not specified.
#include <array>
#include <optional>
#include <string>

#include "shapes/shape_rules.h"

namespace thence::shapes {
namespace {

struct Letters {
  std::array<Size, 128> sizes;
  std::array<bool, 128> is_seen{};
  std::string order;

  void add(char letter, Size size) {
    const auto at = static_cast<unsigned char>(letter);
    if (!is_seen[at]) order += letter;
    if (!is_seen[at] || sizes[at].is(1) || (!sizes[at].is_number() && size.is_number() && !size.is(1)))
      sizes[at] = size;
    is_seen[at] = true;
  }

  Size size(char letter) const { return sizes[static_cast<unsigned char>(letter)]; }
};

constexpr std::string_view ellipsis = "...";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct Equation {
  std::string inputs, output;
};

// The equation without spaces. Empty if it is too long, has an ellipsis, or has no arrow; these are rare, so
// their shapes stay unknown.
std::optional<Equation> equation_of(InferenceContext& context) {
  std::string text;
  for (const char c : context.text("equation")) {
    if (c != ' ') text += c;
    if (text.size() > max_equation_bytes) return std::nullopt;
  }
  const std::size_t arrow = text.find("->");
  if (arrow == std::string::npos || text.substr(0, arrow).find(ellipsis) != std::string::npos)
    return std::nullopt;
  return Equation{text.substr(0, arrow), text.substr(arrow + 2)};
}

// The sizes of the letters, from the shapes of the inputs.
std::optional<Letters> letters_of(InferenceContext& context, std::string_view inputs) {
  Letters letters;
  std::size_t input = 0, at = 0;
  Shape shape = context.shape(0);
  for (const char c : inputs) {
    if (c == ',') {
      shape = context.shape(++input);
      at = 0;
      continue;
    }
    if (!is_letter(c)) return std::nullopt;
    letters.add(c, shape.known() && at < shape.rank() ? shape[at] : Size());
    ++at;
  }
  return letters;
}

}  // namespace

void einsum(InferenceContext& context) {
  context.work.macs = {};
  const std::optional<Equation> equation = equation_of(context);
  if (!equation) return;
  const std::optional<Letters> letters = letters_of(context, equation->inputs);
  if (!letters) return;
  Shape to = Shape::of_rank(0);
  for (const char c : equation->output) {
    if (!is_letter(c)) return;
    to.push(letters->size(c));
  }
  context.set_shape(0, to);
  if (context.input_count() == 1) context.work.macs = 0;
  if (context.input_count() != 2) return;
  Size all = 1;
  for (const char c : letters->order) all = context.sizes.multiply(all, letters->size(c));
  context.work.macs = all;
}

}  // namespace thence::shapes
