// A library for LD_PRELOAD that numbers the system calls of a program, and makes one of them fail.
//
// Without these variables, calls are seen from thence_faults_begin() on, which a program of Python may call:
//   THENCE_FAULT_LOG=FILE      gets one line for each call: its kind
//   THENCE_FAULT="N WHAT V"    call N (from 1) meets a fault:
//     error V    it fails with errno V and does nothing
//     short 0    it reads or writes one byte
//     before V   the process gets signal V before the call
//     after V    the process gets signal V when the call is done, before the program learns of it
//
// Only calls through the dynamic linker are seen, which are those of the program and its libraries, but not
// those inside the C library. Child processes are left alone.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

enum class Fault { none, error, make_short, before, after };

bool enabled = false;
int log_descriptor = -1;
long wanted_call = 0, calls = 0;
Fault wanted_fault = Fault::none;
int fault_value = 0;

void log_line(const char* text, std::size_t size) {
  [[maybe_unused]] const long put = syscall(SYS_write, log_descriptor, text, size);
}

void raise_signal() { syscall(SYS_kill, getpid(), fault_value); }

void begin(const char* log, const char* fault) {
  constexpr int high = 1000;  // no test counts on this number
  const auto opened =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600));
  log_descriptor = static_cast<int>(syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, high));
  if (log_descriptor < 0)
    log_descriptor = opened;
  else
    syscall(SYS_close, opened);
  char name[16] = "";
  if (fault != nullptr && std::sscanf(fault, "%ld %15s %d", &wanted_call, name, &fault_value) == 3)
    wanted_fault = std::strcmp(name, "error") == 0    ? Fault::error
                   : std::strcmp(name, "short") == 0  ? Fault::make_short
                   : std::strcmp(name, "before") == 0 ? Fault::before
                                                      : Fault::after;
  enabled = true;
}

__attribute__((constructor)) void start() {
  const char* const log = std::getenv("THENCE_FAULT_LOG");
  if (log == nullptr) return;
  begin(log, std::getenv("THENCE_FAULT"));
  for (const char* variable : {"LD_PRELOAD", "THENCE_FAULT", "THENCE_FAULT_LOG"}) unsetenv(variable);
  pthread_atfork(nullptr, nullptr, [] {
    enabled = false;
    // A child that gets no processor for a while, so that the fault meets the parent first.
    if (calls == wanted_call) poll(nullptr, 0, 200);
  });
}

// One call of the program. `fails` is whether it must fail instead of being made.
class Call {
 public:
  explicit Call(const char* kind) {
    if (!enabled) return;
    if (++calls == wanted_call) fault_ = wanted_fault;
    char line[64];
    log_line(line, static_cast<std::size_t>(
                       std::snprintf(line, sizeof line, "%s%s\n", fault_ == Fault::none ? "" : "!", kind)));
    if (fault_ == Fault::before) raise_signal();
    if (fault_ == Fault::error) errno = fault_value;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (fault_ != Fault::after || !enabled) return;  // not in a child either
    const int number = errno;
    raise_signal();
    errno = number;
  }
  bool fails() const { return fault_ == Fault::error; }
  std::size_t cut(std::size_t size) const { return fault_ == Fault::make_short && size > 1 ? 1 : size; }

 private:
  Fault fault_ = Fault::none;
};

// The function that this library hides.
template <typename Function>
Function* hidden(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

mode_t mode_of(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
}

}  // namespace

// The signature of a function is that of the C library; `failure` is what it returns if it fails.
#define THENCE_FAULT(kind, failure, result, name, parameters, ...) \
  result name parameters {                                         \
    static const auto make = hidden<result parameters>(#name);     \
    const Call call(kind);                                         \
    return call.fails() ? (failure) : make(__VA_ARGS__);           \
  }

#define THENCE_FAULT_OPEN(name)                                         \
  int name(const char* path, int flags, ...) {                          \
    va_list more;                                                       \
    va_start(more, flags);                                              \
    const mode_t mode = mode_of(flags, more);                           \
    va_end(more);                                                       \
    static const auto make = hidden<int(const char*, int, ...)>(#name); \
    const Call call("open");                                            \
    return call.fails() ? -1 : make(path, flags, mode);                 \
  }

#define THENCE_FAULT_OPENAT(name)                                            \
  int name(int folder, const char* path, int flags, ...) {                   \
    va_list more;                                                            \
    va_start(more, flags);                                                   \
    const mode_t mode = mode_of(flags, more);                                \
    va_end(more);                                                            \
    static const auto make = hidden<int(int, const char*, int, ...)>(#name); \
    const Call call("open");                                                 \
    return call.fails() ? -1 : make(folder, path, flags, mode);              \
  }

// NOLINTBEGIN: names and signatures of the C library
extern "C" {

THENCE_FAULT_OPEN(open)
THENCE_FAULT_OPEN(open64)
THENCE_FAULT_OPENAT(openat)
THENCE_FAULT_OPENAT(openat64)
THENCE_FAULT("open", -1, int, __open_2, (const char* path, int flags), path, flags)
THENCE_FAULT("open", -1, int, __open64_2, (const char* path, int flags), path, flags)
THENCE_FAULT("open", nullptr, FILE*, fopen, (const char* path, const char* mode), path, mode)
THENCE_FAULT("open", nullptr, FILE*, fopen64, (const char* path, const char* mode), path, mode)
THENCE_FAULT("open", nullptr, FILE*, tmpfile, ())
THENCE_FAULT("open", nullptr, FILE*, tmpfile64, ())
THENCE_FAULT("open", -1, int, mkstemp, (char* path), path)
THENCE_FAULT("open", -1, int, mkostemp, (char* path, int flags), path, flags)
THENCE_FAULT("mkdir", nullptr, char*, mkdtemp, (char* path), path)
THENCE_FAULT("mkdir", -1, int, mkdir, (const char* path, mode_t mode), path, mode)
THENCE_FAULT("opendir", nullptr, DIR*, opendir, (const char* path), path)
THENCE_FAULT("opendir", nullptr, DIR*, fdopendir, (int folder), folder)
THENCE_FAULT("readdir", nullptr, dirent*, readdir, (DIR * folder), folder)
THENCE_FAULT("read", -1, ssize_t, read, (int from, void* data, std::size_t size), from, data, call.cut(size))
THENCE_FAULT("read", -1, ssize_t, __read_chk, (int from, void* data, std::size_t size, std::size_t room),
             from, data, call.cut(size), room)
THENCE_FAULT("read", -1, ssize_t, pread, (int from, void* data, std::size_t size, off_t at), from, data,
             call.cut(size), at)
THENCE_FAULT("read", -1, ssize_t, pread64, (int from, void* data, std::size_t size, off64_t at), from, data,
             call.cut(size), at)
THENCE_FAULT("write", -1, ssize_t, write, (int to, const void* data, std::size_t size), to, data,
             call.cut(size))
THENCE_FAULT("write", -1, ssize_t, pwrite, (int to, const void* data, std::size_t size, off_t at), to, data,
             call.cut(size), at)
THENCE_FAULT("write", -1, ssize_t, pwrite64, (int to, const void* data, std::size_t size, off64_t at), to,
             data, call.cut(size), at)
THENCE_FAULT("writev", -1, ssize_t, writev, (int to, const iovec* pieces, int count), to, pieces, count)
THENCE_FAULT("copy", -1, ssize_t, copy_file_range,
             (int from, off64_t* from_at, int to, off64_t* to_at, std::size_t size, unsigned flags), from,
             from_at, to, to_at, call.cut(size), flags)
THENCE_FAULT("copy", -1, ssize_t, sendfile, (int to, int from, off_t* at, std::size_t size), to, from, at,
             call.cut(size))
THENCE_FAULT("sync", -1, int, fsync, (int file), file)
THENCE_FAULT("sync", -1, int, fdatasync, (int file), file)
THENCE_FAULT("writeback", -1, int, sync_file_range, (int file, off64_t from, off64_t size, unsigned flags),
             file, from, size, flags)
THENCE_FAULT("rename", -1, int, rename, (const char* from, const char* to), from, to)
THENCE_FAULT("rename", -1, int, renameat, (int from_folder, const char* from, int to_folder, const char* to),
             from_folder, from, to_folder, to)
THENCE_FAULT("exchange", -1, int, renameat2,
             (int from_folder, const char* from, int to_folder, const char* to, unsigned flags), from_folder,
             from, to_folder, to, flags)
THENCE_FAULT("link", -1, int, link, (const char* from, const char* to), from, to)
THENCE_FAULT("link", -1, int, linkat,
             (int from_folder, const char* from, int to_folder, const char* to, int flags), from_folder, from,
             to_folder, to, flags)
THENCE_FAULT("truncate", -1, int, ftruncate, (int file, off_t size), file, size)
THENCE_FAULT("truncate", -1, int, ftruncate64, (int file, off64_t size), file, size)
THENCE_FAULT("truncate", -1, int, fallocate, (int file, int mode, off_t at, off_t size), file, mode, at, size)
THENCE_FAULT("truncate", -1, int, fallocate64, (int file, int mode, off64_t at, off64_t size), file, mode, at,
             size)
THENCE_FAULT("mmap", MAP_FAILED, void*, mmap,
             (void* at, std::size_t size, int access, int flags, int file, off_t from), at, size, access,
             flags, file, from)
THENCE_FAULT("mmap", MAP_FAILED, void*, mmap64,
             (void* at, std::size_t size, int access, int flags, int file, off64_t from), at, size, access,
             flags, file, from)
THENCE_FAULT("madvise", -1, int, madvise, (void* at, std::size_t size, int advice), at, size, advice)
THENCE_FAULT("madvise", -1, int, mincore, (void* at, std::size_t size, unsigned char* found), at, size, found)
THENCE_FAULT("unlink", -1, int, unlink, (const char* path), path)
THENCE_FAULT("unlink", -1, int, unlinkat, (int folder, const char* path, int flags), folder, path, flags)
THENCE_FAULT("unlink", -1, int, rmdir, (const char* path), path)
THENCE_FAULT("stat", -1, int, stat, (const char* path, struct stat* found), path, found)
THENCE_FAULT("stat", -1, int, lstat, (const char* path, struct stat* found), path, found)
THENCE_FAULT("stat", -1, int, fstat, (int file, struct stat* found), file, found)
THENCE_FAULT("stat", -1, int, stat64, (const char* path, struct stat64* found), path, found)
THENCE_FAULT("stat", -1, int, lstat64, (const char* path, struct stat64* found), path, found)
THENCE_FAULT("stat", -1, int, fstat64, (int file, struct stat64* found), file, found)
THENCE_FAULT("access", -1, int, access, (const char* path, int mode), path, mode)
THENCE_FAULT("readlink", -1, ssize_t, readlink, (const char* path, char* target, std::size_t size), path,
             target, size)
THENCE_FAULT("getcwd", nullptr, char*, getcwd, (char* path, std::size_t size), path, size)
THENCE_FAULT("chmod", -1, int, fchmod, (int file, mode_t mode), file, mode)
THENCE_FAULT("chown", -1, int, fchown, (int file, uid_t user, gid_t group), file, user, group)
THENCE_FAULT("lock", -1, int, flock, (int file, int operation), file, operation)
THENCE_FAULT("dup", -1, int, dup, (int file), file)
THENCE_FAULT("dup", -1, int, dup2, (int file, int other), file, other)
THENCE_FAULT("random", -1, ssize_t, getrandom, (void* data, std::size_t size, unsigned flags), data, size,
             flags)
THENCE_FAULT("pipe", -1, int, pipe2, (int* ends, int flags), ends, flags)
THENCE_FAULT("fork", -1, pid_t, fork, ())
THENCE_FAULT("wait", -1, pid_t, waitpid, (pid_t child, int* status, int options), child, status, options)
THENCE_FAULT("wait", -1, int, waitid, (idtype_t type, id_t child, siginfo_t* info, int options), type, child,
             info, options)

void thence_faults_begin(const char* log, const char* fault) { begin(log, fault); }
void thence_faults_end() { enabled = false; }

// A descriptor is closed even if the call reports an error.
int close(int file) {
  static const auto make = hidden<int(int)>("close");
  const Call call("close");
  const int result = make(file);
  if (!call.fails()) return result;
  errno = fault_value;
  return -1;
}

// Only copies of descriptors are calls that can fail for want of resources.
int fcntl(int file, int command, ...) {
  va_list more;
  va_start(more, command);
  void* const argument = va_arg(more, void*);
  va_end(more);
  static const auto make = hidden<int(int, int, ...)>("fcntl");
  if (command != F_DUPFD && command != F_DUPFD_CLOEXEC) return make(file, command, argument);
  const Call call("dup");
  return call.fails() ? -1 : make(file, command, argument);
}

}  // extern "C"
// NOLINTEND
