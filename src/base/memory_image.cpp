#include "base/memory_image.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>

#include "base/format.h"
#include "base/memory_limit.h"

namespace thence::base {
namespace {

// Mapping a smaller piece costs more than copying it.
constexpr std::size_t min_mapped_bytes = std::size_t{1} << 20;

bool is_part_of(std::string_view piece, std::string_view file) {
  const std::less_equal<> at_most;
  return at_most(file.data(), piece.data()) &&
         at_most(piece.data() + piece.size(), file.data() + file.size());
}

// The largest piece of the file, or none if all are small.
std::size_t largest_file_piece(std::span<const std::string_view> pieces, std::string_view file) {
  std::size_t largest = pieces.size();
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].size() >= min_mapped_bytes && is_part_of(pieces[i], file) &&
        (largest == pieces.size() || pieces[i].size() > pieces[largest].size()))
      largest = i;
  return largest;
}

Error no_memory(std::size_t size, int number) {
  return {ErrorKind::input_output, "F005",
          base::format("cannot hold {} bytes in memory: {}", size, std::strerror(number)),
          out_of_memory_remedy()};
}

// Maps the whole pages of a piece from the file, where they are at the same place within a page as in memory.
// Returns them, or nothing if the system cannot map them.
std::span<char> map_file_piece(char* to, std::string_view piece, std::uint64_t offset, int descriptor,
                               std::size_t page) {
  const std::size_t head = (page - offset % page) % page;
  const std::span<char> whole(to + head, (piece.size() - head) / page * page);
  const void* const mapped = mmap(whole.data(), whole.size(), PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor,
                                  static_cast<off_t>(offset + head));
  return mapped == MAP_FAILED ? std::span<char>() : whole;
}

// Makes everything except a part writable.
bool make_writable(std::span<char> all, std::span<const char> except) {
  const std::size_t before =
      except.empty() ? all.size() : static_cast<std::size_t>(except.data() - all.data());
  const std::size_t after = before + except.size();
  constexpr int access = PROT_READ | PROT_WRITE;
  return mprotect(all.data(), before, access) == 0 &&
         (after == all.size() || mprotect(all.data() + after, all.size() - after, access) == 0);
}

// Copies a piece except the part of it that is mapped.
void copy_piece(char* to, std::string_view piece, std::span<const char> mapped) {
  const std::size_t head = mapped.empty() ? piece.size() : static_cast<std::size_t>(mapped.data() - to);
  if (head > 0) std::memcpy(to, piece.data(), head);
  if (mapped.empty()) return;
  const std::size_t end = head + mapped.size();
  std::memcpy(to + end, piece.data() + end, piece.size() - end);
}

}  // namespace

MemoryImage::Region::~Region() {
  release_memory(bytes.data());
  munmap(address, size);
}

Result<MemoryImage> MemoryImage::assemble(std::span<const std::string_view> pieces, std::string_view file,
                                          int descriptor) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t mapped = descriptor < 0 ? pieces.size() : largest_file_piece(pieces, file);
  std::size_t size = 0, before = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i == mapped) before = size;
    size += pieces[i].size();
  }
  MemoryImage image;
  if (size == 0) return image;
  // Address space only: what will be mapped from the file must not count as memory that can be written.
  const std::size_t reserved = size + page;
  void* const address =
      mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return no_memory(size, errno);
  auto region = std::make_shared<Region>(address, reserved);
  char* at = static_cast<char*>(address);
  std::span<char> from_file;
  if (mapped < pieces.size()) {
    const auto offset = static_cast<std::uint64_t>(pieces[mapped].data() - file.data());
    at += (offset % page + page - before % page) % page;  // the piece begins at `offset` within a page
    from_file = map_file_piece(at + before, pieces[mapped], offset, descriptor, page);
  }
  region->bytes = {at, size};
  if (!from_file.empty())
    region->from_file.emplace(std::string_view(from_file.data(), from_file.size()), "the model");
  if (!make_writable(region->all(), from_file)) return no_memory(size - from_file.size(), errno);
  for (std::size_t i = 0; i < pieces.size(); at += pieces[i++].size())
    copy_piece(at, pieces[i], i == mapped ? from_file : std::span<char>());
  image.region_ = std::move(region);
  return image;
}

}  // namespace thence::base
