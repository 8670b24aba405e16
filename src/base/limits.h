// Limits of this room: what malicious or mistyped input may cost, and how far ahead a cold file is read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thence::base {

/// Bytes that are copied from standard input if its first byte shows that it is no model. Enough for an error
/// that describes the input; without a limit, an endless stream would fill the disk.
inline constexpr std::size_t max_invalid_stream_bytes = std::size_t{64} << 20;

/// The directory of a zip archive. It is read as a whole; a model with 100 000 tensors needs 10 MiB.
// errors.md: directory of an archive
inline constexpr std::uint64_t max_directory_bytes = std::uint64_t{64} << 20;
/// The name of an entry of a zip archive. Error messages contain it.
inline constexpr std::uint64_t max_entry_name_bytes = 512;
/// The comment at the end of a zip archive: the format has 16 bits for its length.
inline constexpr std::uint64_t max_comment_bytes = 0xffff;

/// A long JSON array is parsed in chunks of at least this size. Smaller chunks cost time per chunk, larger
/// ones do not fit into the caches.
inline constexpr std::size_t json_chunk_bytes = std::size_t{1} << 18;
/// A longer item of such an array is refused, because an item is parsed as a whole.
// errors.md: a profile that is not a list of events; an event
inline constexpr std::size_t max_json_item_bytes = std::size_t{16} << 20;

/// Names that an error message suggests: as many as fit into a line.
inline constexpr std::size_t max_suggestions = 3;
/// Names that an error lists if none is near. With more of them, it lists none.
inline constexpr std::size_t max_listed_names = 12;
/// The part of a listed name that is shown.
inline constexpr std::size_t max_shown_name_bytes = 200;
/// Longer names are not suggested. The edit distance takes time quadratic in the length.
inline constexpr std::size_t max_compared_name_bytes = 256;
/// Names that are compared with an unknown one; further ones are ignored. It bounds the
/// time of an error message.
inline constexpr std::size_t max_compared_names = 200'000;
/// A name that contains the whole pattern is near if the pattern has this length. Shorter patterns occur in
/// many names by chance.
inline constexpr std::size_t min_substring_bytes = 4;

/// Bytes of a mapped file that are writable at a time while their pages are copied.
inline constexpr std::size_t writable_part_bytes = std::size_t{16} << 20;

/// Reading this number of bytes of a cold file takes longer than skipping them.
inline constexpr std::size_t long_skip_bytes = 1 << 16;
/// After this number of bytes without a long skip, reading counts as sequential again.
inline constexpr std::size_t sequential_run_bytes = 1 << 16;
/// The start of a file is requested at once, because most models have their nodes there.
inline constexpr std::size_t file_start_bytes = 1 << 20;
/// Requested at each predicted position: the header of a tensor, and a part of the next page.
inline constexpr std::size_t header_bytes = 1 << 13;
/// Skips that are predicted and requested at once.
inline constexpr std::size_t max_predicted_skips = 128;
/// This number of equal distances in a row is a repetition.
inline constexpr std::size_t min_equal_distances = 4;
/// Skips after which distances may repeat: the tensors of one layer.
inline constexpr std::size_t max_period = 256;

}  // namespace thence::base
