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
  struct stat found;
  std::string path;

  bool is_changed() const {
    struct stat now {};
    return fstat(descriptor, &now) == 0 &&
           (now.st_size != found.st_size || now.st_mtim.tv_sec != found.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != found.st_mtim.tv_nsec);
  }
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

void watch_file(std::shared_ptr<const void> mapping, int descriptor, const std::string& path) {
  struct stat found {};
  if (fstat(descriptor, &found) != 0) return;
  WatchList& list = watch_list();
  const std::lock_guard lock(list.mutex);
  std::erase_if(list.files, [](const WatchedFile& file) { return file.mapping.expired(); });
  list.files.push_back({std::move(mapping), descriptor, found, path});
}

std::optional<Error> find_changed_file() {
  WatchList& list = watch_list();
  const std::lock_guard lock(list.mutex);
  for (const WatchedFile& file : list.files)
    if (const auto in_use = file.mapping.lock(); in_use && file.is_changed()) return changed_file(file.path);
  return std::nullopt;
}

Error changed_file(const std::string& path) {
  return {ErrorKind::input_output, "F004", base::format("{}: was changed while it was read", printable(path)),
          "try again when no process writes to it"};
}

}  // namespace thence::base
