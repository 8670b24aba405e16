// Diagnostics: what is odd about an input that could be read all the same. Work goes on.
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

/// Keeps the first few of each code and counts the rest, so that a file odd in a million places
/// costs neither memory nor patience.
class Diagnostics {
 public:
  static constexpr std::size_t kept_per_code = 5;

  /// `make` is called only for the diagnostics that are kept.
  void add(std::string_view code, const std::function<Diagnostic()>& make);
  void add(Diagnostic diagnostic);

  const std::vector<Diagnostic>& kept() const { return kept_; }
  /// How many there were of each code, kept or not.
  const std::map<std::string, std::size_t, std::less<>>& counts() const { return counts_; }
  bool empty() const { return kept_.empty(); }

 private:
  std::vector<Diagnostic> kept_;
  std::map<std::string, std::size_t, std::less<>> counts_;
};

}  // namespace thence
