// Rows on their way into SQLite, by prepared statements. Once SQLite refuses one, the rest is dropped and the
// database says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace thence::query {

/// A database that others opened.
class Database {
 public:
  explicit Database(sqlite3* handle) : handle_(handle) {}

  void execute(const char* sql);
  bool ok() const { return refusal_.empty(); }
  /// SQLite's words about what failed.
  const std::string& refusal() const { return refusal_; }

 private:
  friend class Statement;
  void check(bool done);
  sqlite3* handle_;
  std::string refusal_;
};

/// A statement whose parameters are given in their order, anew for each row.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Bytes that are not UTF-8 are spelled out. The text must stay as it is until done(): it is not copied.
  void text(std::string_view value);
  void text(const char* value) { text(std::string_view(value)); }
  /// One that ends sooner.
  void text(std::string&& value);
  void text_or_null(std::string_view value);
  void number(std::int64_t value);
  void count(const std::optional<std::uint64_t>& value);
  void real(double value);
  void null();
  void done();

 private:
  Database& database_;
  // What SQLite holds for a parameter from the row before. It need not be told the same again.
  struct Held {
    enum class Kind : std::uint8_t { other, null, text } kind = Kind::other;
    std::string_view text = {};  // SQLite looks into it when the row is done
  };

  void hold(std::string_view text);
  void hold_copy(const std::string& text);
  /// The next parameter, which is about to get another value.
  int another();

  sqlite3_stmt* statement_ = nullptr;
  std::vector<Held> held_;
  std::size_t next_ = 0;
};

Statement insert_into(Database& database, const std::string& table, std::size_t columns);

}  // namespace thence::query
