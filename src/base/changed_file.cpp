#include "base/changed_file.h"

#include <sys/stat.h>

#include <mutex>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text.h"

namespace thence::base {
namespace {

struct WatchedFile {
  std::weak_ptr<const void> mapping;
  int descriptor;  // closed together with the mapping
  FileState found;
  std::string path;
};

struct WatchList {
  std::mutex mutex;
  std::vector<WatchedFile> files;
};

WatchList& watch_list() {
  static WatchList& list = *new WatchList;  // threads may outlive static objects
  return list;
}

}  // namespace

FileState::FileState(int descriptor) {
  struct stat found {};
  if (fstat(descriptor, &found) != 0) return;
  size_ = found.st_size;
  seconds_ = found.st_mtim.tv_sec;
  nanoseconds_ = found.st_mtim.tv_nsec;
}

bool FileState::is_changed(int descriptor) const {
  struct stat now {};
  return size_ >= 0 && fstat(descriptor, &now) == 0 &&
         (now.st_size != size_ || now.st_mtim.tv_sec != seconds_ || now.st_mtim.tv_nsec != nanoseconds_);
}

void watch_file(std::shared_ptr<const void> mapping, int descriptor, const std::string& path) {
  WatchList& list = watch_list();
  const std::lock_guard lock(list.mutex);
  std::erase_if(list.files, [](const WatchedFile& file) { return file.mapping.expired(); });
  list.files.push_back({std::move(mapping), descriptor, FileState(descriptor), path});
}

std::optional<Error> find_changed_file() {
  WatchList& list = watch_list();
  const std::lock_guard lock(list.mutex);
  for (const WatchedFile& file : list.files)
    if (const auto in_use = file.mapping.lock(); in_use && file.found.is_changed(file.descriptor))
      return changed_file(file.path);
  return std::nullopt;
}

Error changed_file(const std::string& path) {
  return {ErrorKind::input_output, "F004", base::format("{}: was changed while it was read", printable(path)),
          "try again when no process writes to it"};
}

}  // namespace thence::base
