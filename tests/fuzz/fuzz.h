// Fuzz targets: functions that take any bytes. libFuzzer runs one of them on bytes that it invents; the tests
// run all of them on stored inputs. A target fails by a sanitizer, a time limit, or require().
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/writer.h"

namespace thence::fuzz {

/// What an input consists of, for the mutator.
enum class Part { model, text };

struct Target {
  std::string_view name;  // that of its file, and of the folder of its inputs
  void (*run)(std::string_view input);
  std::vector<Part> parts;
};

/// The targets that are linked with the program.
std::vector<Target>& targets();
struct Registration {
  explicit Registration(Target target) { targets().push_back(std::move(target)); }
};

/// The parts of an input with two: four bytes with the size of the first, then both.
std::pair<std::string_view, std::string_view> split_pair(std::string_view input);
std::string join_pair(std::string_view first, std::string_view second);

/// Ends the program if something does not hold.
void require(bool holds, std::string_view what);

/// What a function writes.
std::string text_of(const std::function<void(base::Writer&)>& write);
/// JSON as strict readers take it: one document, or one per line. Keys of an object are unique.
void require_json(const std::string& text, std::string_view what);
void require_json_lines(const std::string& text, std::string_view what);
/// Text for terminals: UTF-8 without control characters.
void require_printable(std::string_view text, std::string_view what);
/// An error that a user may see: its code is set, its text is printable, and it is not our own bug.
void require_reportable(const Error& error);

/// A result, or null after a check of the error.
template <class Value>
Value* value_of(Result<Value>& result) {
  if (result) return &*result;
  require_reportable(result.error());
  return nullptr;
}

/// A file in memory, for readers that take a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content);
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();
  std::string path() const;

 private:
  int descriptor_;
};

}  // namespace thence::fuzz
