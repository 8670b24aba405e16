#include "base/memory_image.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>

#include "base/format.h"

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
          "free some memory"};
}

// Copies a piece to `to`. Its whole pages, which are at the same place within a page in memory as in the
// file, are mapped from the file.
void place_file_piece(char* to, std::string_view piece, std::uint64_t offset, int descriptor,
                      std::size_t page) {
  const std::size_t head = (page - offset % page) % page;
  const std::size_t whole = (piece.size() - head) / page * page;
  if (mmap(to + head, whole, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor,
           static_cast<off_t>(offset + head)) == MAP_FAILED) {
    std::memcpy(to, piece.data(), piece.size());  // the anonymous pages are still there
    return;
  }
  std::memcpy(to, piece.data(), head);
  std::memcpy(to + head + whole, piece.data() + head + whole, piece.size() - head - whole);
}

}  // namespace

MemoryImage::Region::~Region() { munmap(address, size); }

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
  const std::size_t reserved = size + page;
  void* const address =
      mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return no_memory(size, errno);
  auto region = std::make_shared<Region>(address, reserved);
  std::uint64_t offset = 0;
  char* at = static_cast<char*>(address);
  if (mapped < pieces.size()) {
    offset = static_cast<std::uint64_t>(pieces[mapped].data() - file.data());
    at += (offset % page + page - before % page) % page;  // the piece begins at `offset` within a page
  }
  region->bytes = {at, size};
  for (std::size_t i = 0; i < pieces.size(); at += pieces[i++].size()) {
    if (i == mapped)
      place_file_piece(at, pieces[i], offset, descriptor, page);
    else if (!pieces[i].empty())
      std::memcpy(at, pieces[i].data(), pieces[i].size());
  }
  image.region_ = std::move(region);
  return image;
}

}  // namespace thence::base
