#include "output/in_order.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace thence::output {
namespace {

// A bounded queue of pieces. A thread takes the next piece unless that is too far ahead of the written ones.
class Line {
 public:
  Line(std::size_t pieces, std::size_t length) : pieces_(pieces), places_(length) {}

  void work(const std::function<MakePiece()>& new_maker) {
    try {
      const MakePiece make = new_maker();
      for (std::size_t piece; take(piece);) {
        Place& place = places_[piece % places_.size()];
        place.text.clear();
        make(piece, place.text);
        const std::lock_guard lock(mutex_);
        place.ready = true;
        changed_.notify_all();
      }
    } catch (...) {  // most likely out of memory; the writing thread rethrows it
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
  }

  void write(base::Writer& out) {
    for (std::size_t piece = 0; piece < pieces_ && out.ok(); ++piece) {
      Place& place = places_[piece % places_.size()];
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return place.ready || failure_ != nullptr; });
      if (!place.ready) std::rethrow_exception(failure_);
      lock.unlock();
      out.write_through(place.text);
      lock.lock();
      place.ready = false;
      ++written_;
      changed_.notify_all();
    }
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    next_ = pieces_;
    changed_.notify_all();
  }

 private:
  struct Place {
    std::string text;
    bool ready = false;
  };

  bool take(std::size_t& piece) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ >= pieces_ || next_ < written_ + places_.size(); });
    if (next_ >= pieces_) return false;
    piece = next_++;
    return true;
  }

  std::size_t pieces_, next_ = 0, written_ = 0;
  std::vector<Place> places_;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace

void write_in_order(std::size_t pieces, unsigned jobs, base::Writer& out,
                    const std::function<MakePiece()>& new_maker) {
  constexpr std::size_t few = 4;  // with so few pieces, threads do not pay off
  const std::size_t threads = std::min<std::size_t>(jobs, pieces / few);
  if (threads <= 1) {
    const MakePiece make = new_maker();
    for (std::size_t piece = 0; piece < pieces && out.ok(); ++piece) {
      make(piece, out.buffer());
      out.flush_if_full();
    }
    return;
  }
  Line line(pieces, 2 * threads);
  // Joins the threads on every exit path.
  struct Workers {
    Line& line;
    std::vector<std::jthread> threads;
    ~Workers() { line.stop(); }
  } workers{line, {}};
  for (std::size_t i = 0; i < threads; ++i) workers.threads.emplace_back([&] { line.work(new_maker); });
  line.write(out);
}

}  // namespace thence::output
