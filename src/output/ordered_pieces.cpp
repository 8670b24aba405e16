#include "output/ordered_pieces.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/cut_file.h"
#include "output/limits.h"

namespace thence::output {
namespace {

// A bounded queue of pieces. A thread takes the next piece unless that is too far ahead of the written ones.
class PieceQueue {
 public:
  PieceQueue(std::size_t pieces, std::size_t length) : pieces_(pieces), slots_(length) {}

  void work(const std::function<MakePiece()>& make_worker) {
    try {
      const MakePiece make = make_worker();
      for (std::size_t piece; take_next(piece);) {
        Slot& slot = slots_[piece % slots_.size()];
        slot.text.clear();
        make(piece, slot.text);
        const std::lock_guard lock(mutex_);
        slot.ready = true;
        state_changed_.notify_all();
      }
    } catch (...) {  // most likely out of memory; the writing thread rethrows it
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      state_changed_.notify_all();
    }
  }

  void write(base::Writer& out) {
    for (std::size_t piece = 0; piece < pieces_ && out.ok(); ++piece) {
      Slot& slot = slots_[piece % slots_.size()];
      std::unique_lock lock(mutex_);
      state_changed_.wait(lock, [&] { return slot.ready || failure_ != nullptr; });
      if (!slot.ready) std::rethrow_exception(failure_);
      lock.unlock();
      out.write_through(slot.text);
      lock.lock();
      slot.ready = false;
      ++written_;
      state_changed_.notify_all();
    }
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    next_ = pieces_;
    state_changed_.notify_all();
  }

 private:
  struct Slot {
    std::string text;
    bool ready = false;
  };

  bool take_next(std::size_t& piece) {
    std::unique_lock lock(mutex_);
    state_changed_.wait(lock, [&] { return next_ >= pieces_ || next_ < written_ + slots_.size(); });
    if (next_ >= pieces_) return false;
    piece = next_++;
    return true;
  }

  std::size_t pieces_, next_ = 0, written_ = 0;
  std::vector<Slot> slots_;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable state_changed_;
};

// Starts as many threads as the system allows.
std::vector<std::jthread> start_threads(std::size_t count, const std::function<void()>& work) {
  std::vector<std::jthread> threads;
  try {
    while (threads.size() < count) threads.emplace_back(work);
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): fewer threads do the same
  }
  return threads;
}

}  // namespace

void write_pieces_in_order(std::size_t pieces, unsigned jobs, base::Writer& out,
                           const std::function<MakePiece()>& make_worker) {
  const std::size_t threads = std::min<std::size_t>(jobs, pieces / min_pieces_per_thread);
  PieceQueue queue(pieces, 2 * threads);
  // Joins the threads on every exit path.
  struct Workers {
    PieceQueue& queue;
    std::vector<std::jthread> threads;
    ~Workers() { queue.stop(); }
  } workers{queue, {}};
  if (threads > 1)
    workers.threads = start_threads(threads, [&, cut = base::current_cut_file()] {
      const base::CutFileGuard guard(cut);
      queue.work(make_worker);
    });
  if (!workers.threads.empty()) return queue.write(out);
  const MakePiece make = make_worker();
  for (std::size_t piece = 0; piece < pieces && out.ok(); ++piece) {
    make(piece, out.buffer());
    out.flush_if_full();
  }
}

}  // namespace thence::output
