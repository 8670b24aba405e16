// Inserts rows into SQLite with prepared statements. After the first error, further rows are dropped and the
// database reports the error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace thence::query {

/// A database opened elsewhere.
class Database {
 public:
  explicit Database(sqlite3* handle) : handle_(handle) {}

  void execute(const char* sql);
  bool ok() const { return error_.empty(); }
  /// The error message of SQLite.
  const std::string& error() const { return error_; }

 private:
  friend class Statement;
  void check(bool done);
  sqlite3* handle_;
  std::string error_;
};

/// A statement whose parameters are set in order, for each row.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Bytes that are not UTF-8 are escaped. The text is not copied, so it must stay valid until done().
  void text(std::string_view value);
  void text(const char* value) { text(std::string_view(value)); }
  /// For temporary text, which is copied.
  void text(std::string&& value);
  void text_or_null(std::string_view value);
  void number(std::int64_t value);
  void count(const std::optional<std::uint64_t>& value);
  void real(double value);
  void null();
  void insert_row();

 private:
  Database& database_;
  // The value that SQLite has for a parameter from the previous row. An equal value is not bound again.
  struct BoundValue {
    enum class Kind : std::uint8_t { other, null, text } kind = Kind::other;
    std::string_view text = {};  // SQLite reads it when the row is inserted
  };

  void bind_text(std::string_view text);
  void bind_text_copy(const std::string& text);
  /// The index of the next parameter, which gets a new value.
  int next_parameter();

  sqlite3_stmt* statement_ = nullptr;
  std::vector<BoundValue> bound_;
  std::size_t next_ = 0;
};

Statement insert_into(Database& database, const std::string& table, std::size_t columns);

}  // namespace thence::query
