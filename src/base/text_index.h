// TextIndex: finds small numbers by their texts. The caller stores the texts, and the index requests a text
// by its number. Eight bytes per entry, without an allocation per entry.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text_hash.h"

namespace thence::base {

class TextIndex {
 public:
  static constexpr std::uint32_t not_found = 0xffffffff;

  explicit TextIndex(std::uint64_t seed = process_seed()) : seed_(seed) {}

  /// Reserves memory for this number of texts.
  void reserve(std::size_t texts) {
    if (const std::size_t wanted = std::bit_ceil(texts * 4 / 3 + 1); wanted > slots_.size()) resize(wanted);
  }

  /// The number with which the text was added, or `nothing`. `text_of(number)` must return the text of a
  /// number.
  template <class TextOf>
  std::uint32_t find(std::string_view text, const TextOf& text_of) const {
    return slots_.empty() ? not_found : find_hashed(text, hash_of(text), text_of);
  }

  /// Adds a text that is not yet in the index.
  void add(std::string_view text, std::uint32_t number) { add_hashed(hash_of(text), number); }

  /// The number with which the text was added before; otherwise adds it with `number`.
  template <class TextOf>
  std::uint32_t find_or_add(std::string_view text, std::uint32_t number, const TextOf& text_of) {
    const std::uint32_t hash = hash_of(text), found = find_hashed(text, hash, text_of);
    if (found != not_found) return found;
    add_hashed(hash, number);
    return number;
  }

  std::size_t size() const { return count_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;  // stored, so that growing needs no texts
    std::uint32_t number = not_found;
  };

  std::uint32_t hash_of(std::string_view text) const {
    return static_cast<std::uint32_t>(text_hash(text, seed_));
  }

  template <class TextOf>
  std::uint32_t find_hashed(std::string_view text, std::uint32_t hash, const TextOf& text_of) const {
    if (slots_.empty()) return not_found;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask; slots_[at].number != not_found; at = (at + 1) & mask)
      if (slots_[at].hash == hash && text_of(slots_[at].number) == text) return slots_[at].number;
    return not_found;
  }

  void add_hashed(std::uint32_t hash, std::uint32_t number) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow();
    place({hash, number});
    ++count_;
  }

  void place(const Slot& slot) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = slot.hash & mask;
    while (slots_[at].number != not_found) at = (at + 1) & mask;
    slots_[at] = slot;
  }

  void grow() { resize(slots_.empty() ? 16 : slots_.size() * 2); }

  void resize(std::size_t size) {  // to a power of two
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != not_found) place(slot);
  }

  std::uint64_t seed_;
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace thence::base
