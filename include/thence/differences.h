// How two models differ.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace thence {

/// Kinds of difference; `thence diff --help` describes them.
enum class DiffKind {
  added,
  removed,
  moved,
  fused,
  split,
  retyped,
  rewired,
  quantised,
  weights,
  precision,
  renamed,
  shapes,
  attributes,
  not_compared,
};
/// As `thence diff` prints it.
std::string_view name_of(DiffKind kind);

struct Difference {
  DiffKind kind = DiffKind::added;
  std::string module;  // the path in the first model; in the second one for `added`
  bool is_module_known = true;
  std::vector<std::size_t> a, b;  // rows of the first and of the second map
  std::string value;              // an input or output of the model; then there are no rows
  std::string detail;             // what differs, in words
};

struct Differences {
  std::size_t same_nodes = 0;      // of the second model: those that the first one has without a difference
  std::size_t unread_weights = 0;  // not compared, because their data cannot be read
  bool nothing_in_common = false;
  std::vector<Difference> list;  // by module, then by kind

  bool empty() const { return list.empty(); }
};

}  // namespace thence
