#include "base/zip_archive.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/limits.h"
#include "base/text.h"

namespace thence::base {
namespace {

constexpr std::string_view local_mark = "PK\x03\x04", entry_mark = "PK\x01\x02", end_mark = "PK\x05\x06",
                           end64_mark = "PK\x06\x06", locator_mark = "PK\x06\x07";
constexpr std::size_t local_size = 30, entry_size = 46, end_size = 22, end64_size = 56, locator_size = 20;
constexpr std::uint32_t in_zip64_extra = 0xffffffff;  // the value does not fit and is in an extra field

// Reads little-endian numbers at any position; 0 past the end.
class LittleEndianBytes {
 public:
  explicit LittleEndianBytes(std::string_view bytes) : bytes_(bytes) {}
  bool contains(std::uint64_t at, std::uint64_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }
  bool has_record(std::uint64_t at, std::string_view mark, std::size_t size) const {
    return contains(at, size) && bytes_.substr(at, mark.size()) == mark;
  }
  template <class Number>
  Number number(std::uint64_t at) const {
    Number value = 0;
    if (!contains(at, sizeof value)) return 0;
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
std::optional<Directory> find_directory(const LittleEndianBytes& bytes) {
  if (bytes.size() < end_size) return std::nullopt;
  const std::uint64_t last = bytes.size() - end_size;
  for (std::uint64_t back = 0; back <= std::min(last, max_comment_bytes); ++back) {
    const std::uint64_t end = last - back;
    if (!bytes.has_record(end, end_mark, end_size) || bytes.u16(end + 20) != back) continue;
    if (end >= locator_size && bytes.has_record(end - locator_size, locator_mark, locator_size)) {
      const std::uint64_t end64 = bytes.u64(end - locator_size + 8);
      if (!bytes.has_record(end64, end64_mark, end64_size)) return std::nullopt;
      return Directory{bytes.u64(end64 + 48), bytes.u64(end64 + 40), bytes.u64(end64 + 32)};
    }
    return Directory{bytes.u32(end + 16), bytes.u32(end + 12), bytes.u16(end + 10)};
  }
  return std::nullopt;
}

struct DirectoryEntry {
  std::string_view name;
  std::uint64_t header = 0, unpacked = 0, packed = 0;
  bool stored = true;
};

// 64-bit numbers are in an extra field: only those that are needed, in this order.
void read_zip64_extra(const LittleEndianBytes& bytes, std::uint64_t at, std::uint64_t past,
                      DirectoryEntry& entry) {
  while (at + 4 <= past) {
    const std::uint16_t kind = bytes.u16(at);
    const std::uint64_t end = std::min<std::uint64_t>(at + 4 + bytes.u16(at + 2), past);
    if (kind == 1) {
      std::uint64_t position = at + 4;
      for (std::uint64_t* number : {&entry.unpacked, &entry.packed, &entry.header})
        if (*number == in_zip64_extra && position + 8 <= end) {
          *number = bytes.u64(position);
          position += 8;
        }
      return;
    }
    at = end;
  }
}

std::optional<std::vector<DirectoryEntry>> read_directory(const LittleEndianBytes& bytes,
                                                          const Directory& directory) {
  std::vector<DirectoryEntry> entries;
  std::uint64_t at = directory.at;
  const std::uint64_t past = directory.at + directory.size;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (at > past || past - at < entry_size || !bytes.has_record(at, entry_mark, entry_size))
      return std::nullopt;
    const std::uint64_t name = at + entry_size, extra = name + bytes.u16(at + 28),
                        comment = extra + bytes.u16(at + 30), next = comment + bytes.u16(at + 32);
    if (next > past || extra - name > max_entry_name_bytes) return std::nullopt;
    DirectoryEntry entry;
    entry.name = bytes.text(name, extra - name);
    entry.packed = bytes.u32(at + 20);
    entry.unpacked = bytes.u32(at + 24);
    entry.header = bytes.u32(at + 42);
    entry.stored = bytes.u16(at + 10) == 0 && (bytes.u16(at + 8) & 1) == 0;
    read_zip64_extra(bytes, extra, comment, entry);
    entries.push_back(entry);
    at = next;
  }
  return entries;
}

// The data of an entry follows its local header, which repeats its name.
std::optional<std::string_view> data_of(const LittleEndianBytes& bytes, const DirectoryEntry& entry) {
  if (!bytes.has_record(entry.header, local_mark, local_size)) return std::nullopt;
  const std::uint64_t name = entry.header + local_size, name_size = bytes.u16(entry.header + 26);
  const std::uint64_t data = name + name_size + bytes.u16(entry.header + 28);
  if (!bytes.contains(data, entry.packed) || bytes.text(name, name_size) != entry.name) return std::nullopt;
  if (entry.stored && entry.packed != entry.unpacked) return std::nullopt;
  return bytes.text(data, entry.packed);
}

}  // namespace

bool ZipArchive::has_signature(std::string_view bytes) { return bytes.starts_with(local_mark); }

Result<ZipArchive> ZipArchive::open(std::string_view text, const std::string& label) {
  const auto damaged = [&](const std::string& what) {
    return Error{ErrorKind::bad_input, "A001",
                 base::format("{}: damaged archive: {}", printable(label), what),
                 "save or download the file again"};
  };
  const LittleEndianBytes bytes(text);
  const std::optional<Directory> directory = find_directory(bytes);
  if (!directory) return damaged("it has no directory at its end");
  if (!bytes.contains(directory->at, directory->size)) return damaged("its directory lies outside of it");
  if (directory->size > max_directory_bytes)
    return damaged(
        base::format("its directory has {} bytes, more than {}", directory->size, max_directory_bytes));
  std::optional<std::vector<DirectoryEntry>> directory_entries = read_directory(bytes, *directory);
  if (!directory_entries)
    return damaged(base::format("its directory does not decode (offset {})", directory->at));
  std::sort(directory_entries->begin(), directory_entries->end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.header < b.header; });
  ZipArchive archive;
  std::uint64_t free_from = 0;  // the bytes before belong to previous entries
  for (const DirectoryEntry& entry : *directory_entries) {
    const auto entry_error = [&](const char* what) {
      return damaged(
          base::format("the entry '{}' {} (offset {})", printable(entry.name), what, entry.header));
    };
    const std::optional<std::string_view> data = data_of(bytes, entry);
    if (!data) return entry_error("does not match the directory");
    if (entry.header < free_from) return entry_error("lies over another");
    free_from = static_cast<std::uint64_t>(data->data() - text.data()) + data->size();
    if (free_from > directory->at) return entry_error("lies over the directory");
    if (!archive.by_name_.emplace(entry.name, archive.entries_.size()).second)
      return entry_error("is there twice");
    archive.entries_.push_back({entry.name, *data, entry.stored});
  }
  return archive;
}

const ZipArchive::Entry* ZipArchive::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

}  // namespace thence::base
