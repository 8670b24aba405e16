// Limits of what one answer to the page contains. A larger box is shown in parts, and long text is cut.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thence::serve {

/// Items of an opened box. A box with more is divided into chunks by position. Layout takes about a second at
/// this size.
inline constexpr std::size_t max_items = 600;
/// A box is divided into at most this many chunks, each with at least this many items.
inline constexpr std::size_t max_chunks = 100, min_chunk_items = 100;
/// Repeated modules that are drawn as one stack, because the page gets a list of them.
inline constexpr std::size_t max_stack_members = 4096;
/// Inputs and outputs of the model that are drawn.
inline constexpr std::size_t max_graph_values = 100;
/// Bytes of a name in a list, and in the details of a node.
inline constexpr std::size_t max_label_bytes = 200, max_detail_bytes = 4096;
/// Rows of one answer: nodes that a search found, nodes to review, submodules in the tree.
inline constexpr std::size_t max_found_rows = 500, max_tree_rows = 2000;
/// Attributes, inputs, outputs and consumers of a node in its details, and elements of a list attribute.
inline constexpr std::size_t max_detail_rows = 100, max_list_elements = 64;

/// Elements of a weight that its statistics count; about half a second.
inline constexpr std::size_t max_counted_elements = std::size_t{1} << 24;

/// The share of the modules of a drift report that the model must have. A report of another model shares the
/// root, and no other path.
inline constexpr double min_known_modules = 0.25;

/// Items in a report, unless the user gives a depth. Each costs the browser about 3 KB.
inline constexpr std::size_t max_report_items = 20'000;

/// Server: bytes of a request, connections at a time, those accepted before the others are served, and
/// seconds that a connection may be idle, which includes sending a request.
inline constexpr std::size_t max_request_bytes = 16 << 10, max_connections = 1000, max_accepted_at_once = 32;
inline constexpr int max_idle_seconds = 30;

}  // namespace thence::serve
