// Reads the entries of a zip archive in memory, in place. Libraries copy entries, but the weights in these
// archives have gigabytes and are mostly not needed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace thence::base {

class ZipArchive {
 public:
  struct Entry {
    std::string_view name;
    std::string_view data;  // as stored in the archive
    bool stored = true;     // neither compressed nor encrypted, so `data` is the original content
  };

  /// Whether the bytes begin like an archive.
  static bool has_signature(std::string_view bytes);

  /// Checks the whole directory: every entry is inside the archive, and no two entries overlap. The bytes
  /// must outlive the archive.
  static Result<ZipArchive> open(std::string_view bytes, const std::string& label);

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const;

 private:
  std::vector<Entry> entries_;  // ordered by position
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
};

}  // namespace thence::base
