#include "cli/run_folder.h"

#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/format.h"

namespace thence::cli {
namespace {

// Plain memory, because a signal handler reads it.
constexpr std::size_t max_path = 4096;
std::array<char, max_path> folder{}, files[3]{};
volatile std::sig_atomic_t has_folder = 0;

}  // namespace

Result<std::string> RunFolder::make() {
  std::error_code failed;
  std::string name = (std::filesystem::temp_directory_path(failed) / "thence-profile-XXXXXX").string();
  if (failed || name.size() + 32 > max_path || mkdtemp(name.data()) == nullptr)
    return Error{ErrorKind::input_output, "F003",
                 base::format("{}: {}", name, failed ? failed.message() : std::strerror(errno)),
                 "set TMPDIR to a folder with free space"};
  std::snprintf(folder.data(), max_path, "%s", name.c_str());
  const char* const names[] = {recorded_profile, optimised_model, optimised_weights};
  for (std::size_t i = 0; i < std::size(names); ++i)
    std::snprintf(files[i].data(), max_path, "%s/%s", name.c_str(), names[i]);
  has_folder = 1;
  return name;
}

RunFolder::~RunFolder() {
  if (has_folder == 0) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder.data(), ignored);  // also files that Python left behind
  has_folder = 0;
}

void remove_run_folder() {
  if (has_folder == 0) return;
  for (const auto& file : files) (void)unlink(file.data());
  (void)rmdir(folder.data());
}

}  // namespace thence::cli
