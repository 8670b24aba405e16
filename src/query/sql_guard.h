// Restricts SQL to reading the tables, within limits on time and memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

struct sqlite3;

namespace thence::query {

/// Checks every action of SQL on the database during its lifetime.
class SqlGuard {
 public:
  explicit SqlGuard(sqlite3* database);
  SqlGuard(const SqlGuard&) = delete;
  SqlGuard& operator=(const SqlGuard&) = delete;
  ~SqlGuard();

  /// Starts the time limit. 0 and very large values mean no limit.
  void set_time_limit(double seconds);
  /// The tables that statements read, and their columns: "nodes", "nodes.module".
  const std::set<std::string, std::less<>>& tables_read() const { return tables_read_; }
  /// The forbidden action that a statement attempted; empty if there is none.
  const std::string& refused() const { return refused_; }

 private:
  static int authorize(void* self, int action, const char* first, const char* second, const char*,
                       const char*);
  static int check_deadline(void* self);

  sqlite3* database_;
  std::set<std::string, std::less<>> tables_read_;
  std::string refused_;
  std::chrono::steady_clock::time_point deadline_;
};

/// Lets SQLite allocate this number of additional bytes. The limit applies to the process.
class HeapLimit {
 public:
  explicit HeapLimit(std::uint64_t bytes);
  HeapLimit(const HeapLimit&) = delete;
  HeapLimit& operator=(const HeapLimit&) = delete;
  ~HeapLimit();

  /// The number of bytes allocated since then.
  std::uint64_t used() const;

 private:
  std::int64_t before_, hard_, soft_;
};

}  // namespace thence::query
