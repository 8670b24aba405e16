// Blocks the signals that end the program while it does what must not be done in part.
#pragma once

#include <csignal>

namespace thence::base {

/// The signals after which the program removes its temporary files and ends.
inline constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

/// During its lifetime, the calling thread gets none of these signals. They are delivered afterwards.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : ending_signals) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace thence::base
