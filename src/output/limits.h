// Limits of what is printed. JSON is complete; text for people is cut.
#pragma once

#include <cstddef>

namespace thence::output {

/// Columns of the map table, in terminal columns. In a table of unlimited width, longer cells stick out.
inline constexpr std::size_t max_column_width = 64;
/// If a table does not fit, columns shrink to these widths in three steps: paths, then words, then all.
inline constexpr std::size_t min_module_width = 32, min_path_width = 16, min_word_width = 10,
                             min_any_width = 8;

/// What tracing weights to parameters allocates, in bytes. A model that needs more than these, and than the
/// bytes of its nodes, has more initializers or emptier nodes than any exporter writes: `show` counts them by
/// their consumers.
inline constexpr std::size_t traced_bytes_per_node = 48, traced_bytes_per_weight = 256,
                             max_traced_bytes = std::size_t{16} << 20;

/// The name and class of a module in the tree, in terminal columns, without another limit.
inline constexpr std::size_t max_name_width = 64;
/// Terms of a symbolic number of FLOPs; the largest come first.
inline constexpr std::size_t max_shown_terms = 2;

/// Rows of modules and of nodes in the table of differences, and nodes named in one row.
inline constexpr std::size_t max_diff_rows = 60, max_named_nodes = 2;

/// Lines of an explanation: stack frames, shapes per direction, neighbours per direction.
inline constexpr std::size_t max_shown_frames = 3, max_shown_shapes = 6, max_shown_neighbours = 8;
/// File names and code in an explanation.
inline constexpr std::size_t max_line_bytes = 160;

/// Operators with the most misses in the table of a score.
inline constexpr std::size_t max_shown_operators = 10;
/// Refuted claims in the text of a verification.
inline constexpr std::size_t max_shown_refuted_claims = 20;

/// Safety cap: values of a node in the JSON of an explanation. A malicious node may have millions.
inline constexpr std::size_t max_values_per_node = 1000;
/// Safety cap: frames of a stack trace. The innermost ones are kept.
inline constexpr std::size_t max_frames = 64;
/// Types of tensors that are counted, one bit each.
inline constexpr unsigned max_types = 64;

/// With fewer pieces per thread, threads do not pay off.
inline constexpr std::size_t min_pieces_per_thread = 4;
/// Texts that are kept per run of columns. Nodes with the same text are near each other.
inline constexpr std::size_t max_cached_texts = 256;

/// Names of parameters in one line below the table of modules. JSON lists all.
inline constexpr std::size_t max_listed_parameters = 8;

}  // namespace thence::output
