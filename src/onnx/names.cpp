#include "onnx/names.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <random>

namespace thence::onnx {

std::uint64_t process_seed() {
  static const std::uint64_t seed = [] {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }();
  return seed;
}

NameTable::NameTable(std::string_view file, std::uint64_t expected, std::uint64_t seed)
    : file_(file), seed_(seed) {
  const std::uint64_t slots = std::bit_ceil(std::max<std::uint64_t>(expected + expected / 2, 16));
  names_.reserve(expected);
  slots_.resize(slots);
  mask_ = slots - 1;
}

std::uint64_t NameTable::hash_of(std::string_view name) const {
  return XXH3_64bits_withSeed(name.data(), name.size(), seed_);
}

void NameTable::seal() {
  finish();
  std::vector<Slot>().swap(slots_);
}

void NameTable::intern_later(std::string_view name, std::uint32_t* out) {
  const std::uint64_t hash = hash_of(name);
  __builtin_prefetch(&slots_[hash & mask_]);
  Pending& place = pending_[(first_pending_ + pending_count_) % batch];
  if (pending_count_ == batch) {
    *place.out = find_or_add(place.name, place.hash);
    first_pending_ = (first_pending_ + 1) % batch;
  } else {
    ++pending_count_;
  }
  place = {hash, name, out};
}

void NameTable::finish() {
  for (; pending_count_ > 0; --pending_count_) {
    const Pending& place = pending_[first_pending_];
    *place.out = find_or_add(place.name, place.hash);
    first_pending_ = (first_pending_ + 1) % batch;
  }
}

std::uint32_t NameTable::intern(std::string_view name) {
  finish();
  return find_or_add(name, hash_of(name));
}

std::uint32_t NameTable::find_or_add(std::string_view name, std::uint64_t hash) {
  const auto check = static_cast<std::uint32_t>(hash >> 32);
  for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
    Slot& slot = slots_[at];
    if (slot.name == none) {
      if (names_.size() + names_.size() / 3 >= slots_.size()) {
        grow();
        return find_or_add(name, hash);
      }
      slot = {check, static_cast<std::uint32_t>(names_.size())};
      // An empty name may be nowhere in the file.
      names_.push_back(name.empty() ? Slice() : Slice(static_cast<std::uint64_t>(name.data() - file_.data()), name.size()));
      return slot.name;
    }
    if (slot.check == check && text(slot.name) == name) return slot.name;
  }
}

void NameTable::grow() {
  std::vector<Slot>(slots_.size() * 2).swap(slots_);
  mask_ = slots_.size() - 1;
  for (std::uint32_t name = 0; name < names_.size(); ++name) {
    const std::uint64_t hash = hash_of(text(name));
    std::uint64_t at = hash & mask_;
    while (slots_[at].name != none) at = (at + 1) & mask_;
    slots_[at] = {static_cast<std::uint32_t>(hash >> 32), name};
  }
}

}  // namespace thence::onnx
