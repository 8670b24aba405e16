// Makes zip archives of stored entries, for tests; the places of its numbers are known, so that tests can
// lie.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace thence {

inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return text;
}

struct ZipOptions {
  bool large = false;           // sizes and places in 64 bits, as past 4 GiB
  unsigned method = 0;          // 8: compressed
  std::string comment = {};     // behind everything
  std::uint64_t more_size = 0;  // what the directory says beyond the truth
};

inline std::string zip_of(const std::vector<std::pair<std::string, std::string>>& entries,
                          const ZipOptions& options = {}) {
  std::string bytes, directory;
  for (const auto& [name, data] : entries) {
    const std::uint64_t at = bytes.size(), size = data.size() + options.more_size;
    bytes += "PK\x03\x04" + little(20, 2) + little(0, 2) + little(options.method, 2) + little(0, 8) +
             little(size, 4) + little(size, 4) + little(name.size(), 2) + little(2, 2) + name + "XX" + data;
    const std::string extra = options.large
                                  ? little(7, 2) + little(1, 2) + "?" + little(1, 2) + little(24, 2) +
                                        little(size, 8) + little(size, 8) + little(at, 8)
                                  : "";
    const auto number = [&](std::uint64_t value) { return little(options.large ? 0xffffffff : value, 4); };
    directory += "PK\x01\x02" + little(20, 2) + little(20, 2) + little(0, 2) + little(options.method, 2) +
                 little(0, 8) + number(size) + number(size) + little(name.size(), 2) +
                 little(extra.size(), 2) + little(0, 2) + little(0, 8) + number(at) + name + extra;
  }
  const std::uint64_t start = bytes.size(), end64 = start + directory.size();
  bytes += directory;
  if (options.large)
    bytes += "PK\x06\x06" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
             little(entries.size(), 8) + little(entries.size(), 8) + little(directory.size(), 8) +
             little(start, 8) + "PK\x06\x07" + little(0, 4) + little(end64, 8) + little(1, 4);
  const std::uint64_t shown = options.large ? 0xffffffff : start;
  return bytes + "PK\x05\x06" + little(0, 4) + little(entries.size(), 2) + little(entries.size(), 2) +
         little(directory.size(), 4) + little(shown, 4) + little(options.comment.size(), 2) + options.comment;
}

}  // namespace thence
