// Limits against malicious files, and against answers that nobody reads.
#pragma once

#include <cstddef>

namespace thence::weights {

/// Parameters that are listed for one initializer.
inline constexpr std::size_t max_parameters = 64;
/// Consumers of an initializer that are looked at. Constants that more nodes read are no weights of a module.
inline constexpr std::size_t max_consumers = 64;
/// Inputs of a node that are looked at.
inline constexpr std::size_t max_inputs = 64;
/// Parameters of a capture with equal content that are compared with the consumers of an initializer.
inline constexpr std::size_t max_equal_parameters = 64;
/// Modules after a convolution among which its norm is searched.
inline constexpr std::size_t max_modules_after = 16;
/// Submodules of a consumer's module that are searched for a parameter that the file no longer has.
inline constexpr std::size_t max_children = 64;
/// Parameters of one module that are compared with an initializer.
inline constexpr std::size_t max_owned_parameters = 256;
/// Inputs of origins that are looked at in one run, in all: a small file can connect many nodes.
inline constexpr std::size_t max_origin_inputs = std::size_t{1} << 26;
/// Initializers of the ancestor with equal content that are compared with those that an origin reads.
inline constexpr std::size_t max_equal_initializers = 256;

/// Values of the ancestor from which an optimiser may have computed a constant.
inline constexpr std::size_t max_folded_values = 128;
/// Sizes of parts that are tried at each position of a joined weight.
inline constexpr std::size_t max_part_sizes = 8;

}  // namespace thence::weights
