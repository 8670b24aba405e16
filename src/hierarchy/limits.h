// Safety caps of reading module hierarchies: larger values occur only in malicious files. The caps of scopes
// and prefixes are with their thresholds.
#pragma once

#include <cstddef>

#include "modules/module_tree.h"

namespace thence::hierarchy {

/// The index in a slice of a module list, and its step. Their product stays within 64 bits.
inline constexpr long max_slice_index = 1'000'000'000, max_slice_step = 1'000'000;

/// A scope in a name, in bytes. It repeats container names, so it may be longer than a path.
// errors.md: a scope in a name
inline constexpr std::size_t max_scope_bytes = 2 * modules::ModuleTree::max_path_length;

/// Bytes of memory per scope, charged to the memory limit of the module tree.
inline constexpr std::size_t bytes_per_scope = 192;

/// Scopes with which an instance of compiled code is compared. Those of one class all have the same code.
inline constexpr std::size_t most_examples = 8;

/// Items of a list of strings in metadata, such as a module stack.
// errors.md: a module stack in metadata
inline constexpr std::size_t max_list_items = 256;

/// Operators that are compared with each other to align two pieces of code between two parameters.
inline constexpr std::size_t most_compared_nodes = 1'000'000;

/// Modules that a scope with an unknown weight may belong to, as listed.
inline constexpr std::size_t max_scope_candidates = 16;

/// Modules that are compared to find the one that a path of classes leads to.
inline constexpr std::size_t max_class_path_work = 100'000;

/// The modules that a tag may list for one node.
inline constexpr std::size_t max_tagged_members = 4096;

/// Memory for the modules that a file names, in bytes: some for any file, the text of its nodes, which has
/// the paths, and two modules with their scopes for each node. A module of an exporter has a node, or
/// contains several modules, so that a file has fewer modules than twice its nodes.
// errors.md: modules of a tree rebuilt from names
inline constexpr std::size_t min_module_memory_bytes = std::size_t{16} << 20;
inline constexpr std::size_t module_memory_per_node = 2 * (400 + bytes_per_scope);

}  // namespace thence::hierarchy
