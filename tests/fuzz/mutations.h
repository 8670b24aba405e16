// Changes of a model that keep it readable: fields and messages are changed, moved, copied and renamed, nodes
// become functions and bodies.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <string_view>

#include "wire_tree.h"

namespace thence::fuzz {

using Random = std::minstd_rand;
/// Changes a text in any way; it may become longer by some bytes.
using ChangeText = std::function<void(std::string&)>;

/// A changed model. Empty if the bytes are no messages at all.
std::string mutate_model(std::string_view bytes, Random& random, const ChangeText& change_text);

/// The first model with a message of the second. Empty if there is none that fits.
std::string cross_models(std::string_view bytes, std::string_view other, Random& random);

}  // namespace thence::fuzz
