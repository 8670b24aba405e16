// The entries of a zip archive in memory, where they lie. Our own reader, because libraries copy entries out,
// and the weights in these archives are gigabytes that are mostly never looked at.
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
    std::string_view data;  // as it lies in the archive
    bool stored = true;     // neither compressed nor encrypted: the data is what was put in
  };

  /// Whether bytes begin as an archive does.
  static bool begins(std::string_view bytes);

  /// Checks the whole directory: every entry lies inside the archive and none over another. The bytes must
  /// outlive the archive.
  static Result<ZipArchive> open(std::string_view bytes, const std::string& label);

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const;

 private:
  std::vector<Entry> entries_;  // in the order of their places
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
};

}  // namespace thence::base
