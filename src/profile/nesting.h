// Nesting: exclusive times of kernels. The event of an If or a Loop spans those of its bodies, which a trace
// lists before it, because an event is written when it ends.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "profile/recording.h"

namespace thence::profile {

/// An event of a trace; `kernel` is a number of the caller's.
struct Event {
  std::uint32_t kernel = 0;
  double begin = 0, duration = 0;

  double end() const { return begin + duration; }
};

class Nesting {
 public:
  /// Takes an event with its exclusive time, and the event that it lies in; null if there is none.
  using Sink = std::function<void(const Event& event, double exclusive, const Event* parent)>;
  explicit Nesting(Sink sink) : sink_(std::move(sink)) {}

  /// Adds the next event of a thread, after those that it contains.
  void add(std::uint64_t thread, const Event& event);
  /// Passes on the events that begin in the interval; they lie in no other.
  void close_all(double begin, double end);
  /// The same, but of the listed threads only for `thread`.
  void close_except(const std::vector<std::uint64_t>& threads, std::uint64_t thread, double begin,
                    double end);

  /// Whether older events were passed on early, to bound the memory.
  bool is_cut() const { return is_cut_; }

 private:
  struct Open {
    Event event;
    double inside = 0;  // time of the events in it
  };
  using Stack = std::vector<Open>;
  void pass(const Open& open, const Event* parent) {
    sink_(open.event, open.event.duration - open.inside, parent);
  }
  void close(Stack& stack, double begin, double end);
  void pass_older_half(Stack& stack);

  Sink sink_;
  std::unordered_map<std::uint64_t, Stack> threads_;
  std::size_t open_ = 0;
  bool is_cut_ = false;
};

}  // namespace thence::profile
