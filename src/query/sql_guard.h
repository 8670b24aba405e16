// What SQL may do: read our tables, for so long and in so much memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

struct sqlite3;

namespace thence::query {

/// Stands between SQL and the database for as long as it lives.
class SqlGuard {
 public:
  static constexpr int most_bytes_a_row = 64 << 20;

  explicit SqlGuard(sqlite3* database);
  SqlGuard(const SqlGuard&) = delete;
  SqlGuard& operator=(const SqlGuard&) = delete;
  ~SqlGuard();

  /// Starts the clock; there is none for 0, and for years.
  void allow_seconds(double seconds);
  /// The tables that statements read, and their columns: "nodes", "nodes.module".
  const std::set<std::string, std::less<>>& read() const { return read_; }
  /// What a statement wanted to do and may not; empty when nothing.
  const std::string& refused() const { return refused_; }

 private:
  static int authorize(void* self, int action, const char* first, const char* second, const char*,
                       const char*);
  static int look_at_the_clock(void* self);

  sqlite3* database_;
  std::set<std::string, std::less<>> read_;
  std::string refused_;
  std::chrono::steady_clock::time_point end_;
};

/// Lets SQLite have so many bytes more than it has; the limit is the process's.
class HeapLimit {
 public:
  explicit HeapLimit(std::uint64_t bytes);
  HeapLimit(const HeapLimit&) = delete;
  HeapLimit& operator=(const HeapLimit&) = delete;
  ~HeapLimit();

  /// How many it has taken.
  std::uint64_t used() const;

 private:
  std::int64_t before_, hard_, soft_;
};

}  // namespace thence::query
