// The mutator of targets that take models: it changes the messages of a model, and else leaves the work to
// libFuzzer, which knows neither fields nor lengths.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "fuzz.h"
#include "mutations.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace thence::fuzz {
namespace {

constexpr std::size_t more_bytes = 64;  // that a text may grow at once

void change_bytes(std::string& bytes, std::size_t most) {
  const std::size_t size = bytes.size();
  bytes.resize(std::max<std::size_t>(most, 1));
  bytes.resize(
      LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), std::min(size, most), bytes.size()));
}

std::string changed_model(std::string_view bytes, std::size_t most, Random& random) {
  const auto change_text = [](std::string& text) { change_bytes(text, text.size() + more_bytes); };
  std::string changed = random() % 16 == 0 ? std::string() : mutate_model(bytes, random, change_text);
  if (!changed.empty() && changed.size() <= most) return changed;
  changed = bytes;
  change_bytes(changed, most);
  return changed;
}

std::string changed_part(Part part, std::string_view bytes, std::size_t most, Random& random) {
  if (part == Part::model) return changed_model(bytes, most, random);
  std::string changed(bytes);
  change_bytes(changed, most);
  return changed;
}

std::string changed_input(const std::vector<Part>& parts, std::string_view input, std::size_t most,
                          Random& random) {
  if (parts.size() == 1) return changed_part(parts.front(), input, most, random);
  const auto [first, second] = split_pair(input);
  const std::size_t taken = first.size() + second.size() + 4;
  const std::size_t room = most > taken ? most - taken : 0;
  // Two models that are alike have more in common than two that changed apart.
  if (parts[0] == parts[1] && random() % 20 == 0 && first.size() <= second.size() + room)
    return join_pair(first, first);
  return random() % 2 == 0 ? join_pair(changed_part(parts[0], first, first.size() + room, random), second)
                           : join_pair(first, changed_part(parts[1], second, second.size() + room, random));
}

std::size_t store(const std::string& bytes, std::uint8_t* data, std::size_t most) {
  const std::size_t size = std::min(bytes.size(), most);
  if (size > 0) std::memcpy(data, bytes.data(), size);
  return size;
}

std::string_view view_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace
}  // namespace thence::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  using namespace thence::fuzz;
  Random random(seed);
  return store(changed_input(targets().front().parts, view_of(data, size), most, random), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second, std::size_t second_size,
                                                 std::uint8_t* out, std::size_t most, unsigned seed) {
  using namespace thence::fuzz;
  Random random(seed);
  const std::string_view a = view_of(first, first_size), b = view_of(second, second_size);
  if (targets().front().parts.size() == 1) return store(cross_models(a, b, random), out, most);
  return store(join_pair(split_pair(a).first, split_pair(b).second), out, most);
}
