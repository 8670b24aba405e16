#include "onnx/names.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>

namespace thence::onnx {

NameTable::NameTable(std::string_view file, std::uint64_t expected, std::uint64_t seed)
    : file_(file), seed_(seed) {
  const std::uint64_t slots = std::bit_ceil(std::max<std::uint64_t>(expected + expected / 2, 16));
  names_.reserve(expected);
  slots_.resize(slots, none);
  mask_ = slots - 1;
}

std::uint64_t NameTable::hash_of(std::string_view name) const {
  return XXH3_64bits_withSeed(name.data(), name.size(), seed_);
}

void NameTable::seal() {
  finish();
  std::vector<std::uint32_t>().swap(slots_);
}

void NameTable::intern_later(std::string_view name, std::uint32_t* out) {
  const std::uint64_t hash = hash_of(name);
  __builtin_prefetch(&slots_[hash & mask_], 1);
  pending_[pending_count_] = {hash, name, out};
  if (++pending_count_ == batch) finish();
}

void NameTable::finish() {
  for (std::size_t i = 0; i < pending_count_; ++i)
    *pending_[i].out = find_or_add(pending_[i].name, pending_[i].hash);
  pending_count_ = 0;
}

std::uint32_t NameTable::intern(std::string_view name) {
  finish();
  return find_or_add(name, hash_of(name));
}

std::uint32_t NameTable::find_or_add(std::string_view name, std::uint64_t hash) {
  const auto number = static_cast<std::uint32_t>(mask_);  // the bits of a slot that hold the number
  const std::uint32_t check = static_cast<std::uint32_t>(hash >> 32) & ~number;
  for (std::uint64_t at = hash & mask_; slots_[at] != none; at = (at + 1) & mask_) {
    const std::uint32_t slot = slots_[at];
    if ((slot & ~number) == check && text(slot & number) == name) return slot & number;
  }
  if (names_.size() + names_.size() / 3 >= slots_.size()) grow();
  // An empty name may point outside the file.
  names_.push_back(name.empty() ? Slice()
                                : Slice(static_cast<std::uint64_t>(name.data() - file_.data()), name.size()));
  place(static_cast<std::uint32_t>(names_.size() - 1), hash);
  return static_cast<std::uint32_t>(names_.size() - 1);
}

void NameTable::place(std::uint32_t name, std::uint64_t hash) {
  std::uint64_t at = hash & mask_;
  while (slots_[at] != none) at = (at + 1) & mask_;
  slots_[at] = (static_cast<std::uint32_t>(hash >> 32) & ~static_cast<std::uint32_t>(mask_)) | name;
}

void NameTable::grow() {
  slots_.assign(slots_.size() * 2, none);
  mask_ = slots_.size() - 1;
  for (std::uint32_t name = 0; name < names_.size(); ++name) place(name, hash_of(text(name)));
}

}  // namespace thence::onnx
