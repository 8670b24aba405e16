// Which classes a pattern means.
#pragma once

#include <string_view>

#include "base/glob.h"

namespace thence::modules {

/// A pattern without dots is held against the last part of a class's name, another against the whole. A class
/// that is not known fits none.
bool class_fits(const base::Glob& glob, std::string_view class_name);

}  // namespace thence::modules
