#include "profile/nesting.h"

#include <algorithm>

#include "profile/limits.h"

namespace thence::profile {

void Nesting::add(std::uint64_t thread, const Event& event) {
  // Events of threads past the limit share a stack; they overlap, and are then not nested.
  if (threads_.size() >= max_threads && !threads_.contains(thread)) thread = 0;
  Stack& stack = threads_[thread];
  Open added{event};
  while (!stack.empty()) {
    const Event& last = stack.back().event;
    if (last.begin < event.begin || last.end() > event.end()) break;
    added.inside += last.duration;
    pass(stack.back(), &event);
    stack.pop_back();
    --open_;
  }
  stack.push_back(added);
  if (++open_ > max_open_kernels) pass_older_half(stack);
}

void Nesting::close(Stack& stack, double begin, double end) {
  // Events of the interval are the last of the stack; earlier ones are of another run.
  auto first = stack.end();
  while (first != stack.begin() && std::prev(first)->event.begin >= begin) --first;
  auto kept = first;
  for (auto at = first; at != stack.end(); ++at) {
    if (at->event.begin <= end) {
      pass(*at, nullptr);
      --open_;
    } else {
      *kept++ = *at;
    }
  }
  stack.erase(kept, stack.end());
}

void Nesting::close_except(const std::vector<std::uint64_t>& threads, std::uint64_t thread, double begin,
                           double end) {
  for (auto& [number, stack] : threads_)
    if (!stack.empty() &&
        (number == thread || std::find(threads.begin(), threads.end(), number) == threads.end()))
      close(stack, begin, end);
}

void Nesting::close_all(double begin, double end) {
  for (auto& [thread, stack] : threads_) close(stack, begin, end);
}

void Nesting::pass_older_half(Stack& stack) {
  is_cut_ = true;
  const auto middle = stack.begin() + static_cast<std::ptrdiff_t>((stack.size() + 1) / 2);
  for (auto at = stack.begin(); at != middle; ++at) pass(*at, nullptr);
  open_ -= static_cast<std::size_t>(middle - stack.begin());
  stack.erase(stack.begin(), middle);
}

}  // namespace thence::profile
