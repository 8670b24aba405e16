#include "base/cut_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

#include "base/changed_file.h"

namespace thence::base {

// Slots are never freed, so that the signal handler can read the list at any time. They are used again.
struct MappedRange::Slot {
  std::atomic<std::uintptr_t> begin = 0, end = 0;  // empty: unused
  std::array<char, 512> path{};
  Slot* next = nullptr;
};

namespace {

void copy_path(std::string_view path, std::array<char, 512>& to) {
  const std::size_t size = std::min(path.size(), to.size() - 1);
  std::copy_n(path.data(), size, to.begin());
  to[size] = '\0';
}

std::atomic<MappedRange::Slot*> first_slot = nullptr;
std::mutex slot_mutex;     // of those that change slots
std::mutex handler_mutex;  // of those that set the handler
struct sigaction previous_handler {};
thread_local CutFile* reported_to = nullptr;

const MappedRange::Slot* find_slot(std::uintptr_t address) {
  for (const MappedRange::Slot* slot = first_slot; slot != nullptr; slot = slot->next)
    if (address >= slot->begin && address < slot->end) return slot;
  return nullptr;
}

// Puts a page of zeros where a page of a file is gone. It is writable, because pages may just be copied.
bool replace_page(void* address) {
  if (reported_to == nullptr) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const MappedRange::Slot* const slot = find_slot(at);
  if (slot == nullptr) return false;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const start = reinterpret_cast<void*>(at / page * page);  // NOLINT(performance-no-int-to-ptr)
  reported_to->set(slot->path.data());
  return mmap(start, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int number = errno;
  if (info->si_code == BUS_ADRERR && replace_page(info->si_addr)) {
    errno = number;
    return;
  }
  if ((previous_handler.sa_flags & SA_SIGINFO) != 0)
    previous_handler.sa_sigaction(signal, info, context);
  else if (previous_handler.sa_handler != SIG_DFL && previous_handler.sa_handler != SIG_IGN)
    previous_handler.sa_handler(signal);
  else
    std::signal(signal, SIG_DFL);  // the access is repeated, and ends the process
}

// Others may have set a handler since, such as Python's faulthandler. It gets the signals that are not ours.
void set_handler() {
  const std::lock_guard lock(handler_mutex);
  struct sigaction current {};
  if (sigaction(SIGBUS, nullptr, &current) != 0) return;
  if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_bus_error) return;
  previous_handler = current;
  struct sigaction own {};
  own.sa_sigaction = on_bus_error;
  own.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&own.sa_mask);
  (void)sigaction(SIGBUS, &own, nullptr);
}

}  // namespace

void CutFile::set(const char* path) {
  int expected = none;
  if (!state_.compare_exchange_strong(expected, claimed)) return;
  copy_path(path, path_);
  state_ = known;
}

std::optional<Error> CutFile::error() const {
  return state_ == known ? std::optional(changed_file(path_.data())) : std::nullopt;
}

CutFile* current_cut_file() { return reported_to; }

CutFileGuard::CutFileGuard() : before_(reported_to) {
  set_handler();
  reported_to = &own_;
}

CutFileGuard::CutFileGuard(CutFile* of_other_thread) : before_(reported_to) { reported_to = of_other_thread; }

CutFileGuard::~CutFileGuard() { reported_to = before_; }

MappedRange::MappedRange(std::string_view bytes, const std::string& path) {
  const std::lock_guard lock(slot_mutex);
  for (slot_ = first_slot; slot_ != nullptr && slot_->end != 0; slot_ = slot_->next) continue;
  if (slot_ == nullptr) {
    slot_ = new Slot;
    slot_->next = first_slot;
    first_slot = slot_;
  }
  copy_path(path, slot_->path);
  slot_->begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  slot_->end = slot_->begin + bytes.size();
}

MappedRange::~MappedRange() {
  const std::lock_guard lock(slot_mutex);
  slot_->begin = slot_->end = 0;
}

}  // namespace thence::base
