#include "base/zip_archive.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/text.h"

namespace thence::base {
namespace {

constexpr std::string_view local_mark = "PK\x03\x04", entry_mark = "PK\x01\x02", end_mark = "PK\x05\x06",
                           end64_mark = "PK\x06\x06", locator_mark = "PK\x06\x07";
constexpr std::size_t local_size = 30, entry_size = 46, end_size = 22, end64_size = 56, locator_size = 20;
constexpr std::uint64_t largest_directory = std::uint64_t{64} << 20;
constexpr std::uint64_t longest_name = 512;      // names occur in error messages
constexpr std::uint32_t see_extra = 0xffffffff;  // the value does not fit and is in an extra field

// Reads little-endian numbers at any position; 0 past the end.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool holds(std::uint64_t at, std::uint64_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }
  bool starts(std::uint64_t at, std::string_view mark, std::size_t size) const {
    return holds(at, size) && bytes_.substr(at, mark.size()) == mark;
  }
  template <class Number>
  Number number(std::uint64_t at) const {
    Number value = 0;
    if (!holds(at, sizeof value)) return 0;
    for (std::size_t i = sizeof value; i-- > 0;)
      value = static_cast<Number>(value << 8 | static_cast<unsigned char>(bytes_[at + i]));
    return value;
  }
  std::uint16_t u16(std::uint64_t at) const { return number<std::uint16_t>(at); }
  std::uint32_t u32(std::uint64_t at) const { return number<std::uint32_t>(at); }
  std::uint64_t u64(std::uint64_t at) const { return number<std::uint64_t>(at); }
  std::string_view text(std::uint64_t at, std::uint64_t size) const { return bytes_.substr(at, size); }
  std::uint64_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

struct Directory {
  std::uint64_t at = 0, size = 0, count = 0;
};

// The record at the end of the archive gives the position of the directory. Only a comment may follow it.
std::optional<Directory> find_directory(const Bytes& bytes) {
  constexpr std::uint64_t longest_comment = 0xffff;
  if (bytes.size() < end_size) return std::nullopt;
  const std::uint64_t last = bytes.size() - end_size;
  for (std::uint64_t back = 0; back <= std::min(last, longest_comment); ++back) {
    const std::uint64_t end = last - back;
    if (!bytes.starts(end, end_mark, end_size) || bytes.u16(end + 20) != back) continue;
    if (end >= locator_size && bytes.starts(end - locator_size, locator_mark, locator_size)) {
      const std::uint64_t end64 = bytes.u64(end - locator_size + 8);
      if (!bytes.starts(end64, end64_mark, end64_size)) return std::nullopt;
      return Directory{bytes.u64(end64 + 48), bytes.u64(end64 + 40), bytes.u64(end64 + 32)};
    }
    return Directory{bytes.u32(end + 16), bytes.u32(end + 12), bytes.u16(end + 10)};
  }
  return std::nullopt;
}

struct Listed {
  std::string_view name;
  std::uint64_t header = 0, unpacked = 0, packed = 0;
  bool stored = true;
};

// 64-bit numbers are in an extra field: only those that are needed, in this order.
void read_large(const Bytes& bytes, std::uint64_t at, std::uint64_t past, Listed& entry) {
  while (at + 4 <= past) {
    const std::uint16_t kind = bytes.u16(at);
    const std::uint64_t end = std::min<std::uint64_t>(at + 4 + bytes.u16(at + 2), past);
    if (kind == 1) {
      std::uint64_t place = at + 4;
      for (std::uint64_t* number : {&entry.unpacked, &entry.packed, &entry.header})
        if (*number == see_extra && place + 8 <= end) {
          *number = bytes.u64(place);
          place += 8;
        }
      return;
    }
    at = end;
  }
}

std::optional<std::vector<Listed>> read_directory(const Bytes& bytes, const Directory& directory) {
  std::vector<Listed> entries;
  std::uint64_t at = directory.at;
  const std::uint64_t past = directory.at + directory.size;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (at > past || past - at < entry_size || !bytes.starts(at, entry_mark, entry_size)) return std::nullopt;
    const std::uint64_t name = at + entry_size, extra = name + bytes.u16(at + 28),
                        comment = extra + bytes.u16(at + 30), next = comment + bytes.u16(at + 32);
    if (next > past || extra - name > longest_name) return std::nullopt;
    Listed entry;
    entry.name = bytes.text(name, extra - name);
    entry.packed = bytes.u32(at + 20);
    entry.unpacked = bytes.u32(at + 24);
    entry.header = bytes.u32(at + 42);
    entry.stored = bytes.u16(at + 10) == 0 && (bytes.u16(at + 8) & 1) == 0;
    read_large(bytes, extra, comment, entry);
    entries.push_back(entry);
    at = next;
  }
  return entries;
}

// The data of an entry follows its local header, which repeats its name.
std::optional<std::string_view> data_of(const Bytes& bytes, const Listed& entry) {
  if (!bytes.starts(entry.header, local_mark, local_size)) return std::nullopt;
  const std::uint64_t name = entry.header + local_size, name_size = bytes.u16(entry.header + 26);
  const std::uint64_t data = name + name_size + bytes.u16(entry.header + 28);
  if (!bytes.holds(data, entry.packed) || bytes.text(name, name_size) != entry.name) return std::nullopt;
  if (entry.stored && entry.packed != entry.unpacked) return std::nullopt;
  return bytes.text(data, entry.packed);
}

}  // namespace

bool ZipArchive::begins(std::string_view bytes) { return bytes.starts_with(local_mark); }

Result<ZipArchive> ZipArchive::open(std::string_view text, const std::string& label) {
  const auto damaged = [&](const std::string& what) {
    return Error{ErrorKind::bad_input, "A001",
                 base::format("{}: damaged archive: {}", printable(label), what),
                 "save or download the file again"};
  };
  const Bytes bytes(text);
  const std::optional<Directory> directory = find_directory(bytes);
  if (!directory) return damaged("it has no directory at its end");
  if (!bytes.holds(directory->at, directory->size)) return damaged("its directory lies outside of it");
  if (directory->size > largest_directory)
    return damaged(
        base::format("its directory has {} bytes, more than {}", directory->size, largest_directory));
  std::optional<std::vector<Listed>> listed = read_directory(bytes, *directory);
  if (!listed) return damaged(base::format("its directory does not decode (offset {})", directory->at));
  std::sort(listed->begin(), listed->end(),
            [](const Listed& a, const Listed& b) { return a.header < b.header; });
  ZipArchive archive;
  std::uint64_t free = 0;  // the bytes before belong to previous entries
  for (const Listed& entry : *listed) {
    const auto at_fault = [&](const char* what) {
      return damaged(
          base::format("the entry '{}' {} (offset {})", printable(entry.name), what, entry.header));
    };
    const std::optional<std::string_view> data = data_of(bytes, entry);
    if (!data) return at_fault("does not match the directory");
    if (entry.header < free) return at_fault("lies over another");
    free = static_cast<std::uint64_t>(data->data() - text.data()) + data->size();
    if (free > directory->at) return at_fault("lies over the directory");
    if (!archive.by_name_.emplace(entry.name, archive.entries_.size()).second)
      return at_fault("is there twice");
    archive.entries_.push_back({entry.name, *data, entry.stored});
  }
  return archive;
}

const ZipArchive::Entry* ZipArchive::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

}  // namespace thence::base
