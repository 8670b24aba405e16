// MemoryImage: pieces of bytes, contiguous in memory. The largest piece of a file is mapped instead of
// copied, so that a changed copy of a model does not hold its weights in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/cut_file.h"
#include "base/result.h"

namespace thence::base {

class MemoryImage {
 public:
  /// Pieces inside `file` are parts of the file that `descriptor` refers to. Without a file, the descriptor
  /// is -1 and all pieces are copied.
  static Result<MemoryImage> assemble(std::span<const std::string_view> pieces, std::string_view file,
                                      int descriptor);

  std::string_view bytes() const { return region_ ? region_->bytes : std::string_view(); }
  /// Keeps the bytes valid.
  std::shared_ptr<const void> owner() const { return region_; }

 private:
  struct Region {
    void* address;
    std::size_t size;
    std::string_view bytes;
    std::optional<MappedRange> from_file{};
    Region(void* a, std::size_t s) : address(a), size(s) {}
    std::span<char> all() const { return {static_cast<char*>(address), size}; }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    ~Region();
  };

  std::shared_ptr<const Region> region_;
};

}  // namespace thence::base
