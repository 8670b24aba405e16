// The samples of a parameter as a capture file has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace thence::reference {

/// Four hexadecimal digits for each sample, in half precision; empty for types that are not compared.
/// `dtype`: PyTorch's name of the type.
std::string samples_text(std::string_view data, std::uint64_t elements, std::string_view dtype);

}  // namespace thence::reference
