// Diagnostics: problems in an input that could still be read. They do not stop the program.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace thence {

enum class Severity { note, warning };

struct Diagnostic {
  std::string code;  // such as "M004"; docs/errors.md lists them all
  Severity severity = Severity::warning;
  std::string where;  // node, graph or field; may be empty
  std::string text;
};

/// Keeps the first few diagnostics of each code and counts the rest, which limits the memory and the output
/// for a file with a million problems.
class Diagnostics {
 public:
  static constexpr std::size_t kept_per_code = 5;

  /// `make` is called only for the diagnostics that are kept.
  void add(std::string_view code, const std::function<Diagnostic()>& make);
  void add(Diagnostic diagnostic);

  const std::vector<Diagnostic>& kept() const { return kept_; }
  /// The number of diagnostics of each code, kept or not.
  const std::map<std::string, std::size_t, std::less<>>& counts() const { return counts_; }
  bool empty() const { return kept_.empty(); }

 private:
  std::vector<Diagnostic> kept_;
  std::map<std::string, std::size_t, std::less<>> counts_;
};

}  // namespace thence
