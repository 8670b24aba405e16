// Matches classes with patterns.
#pragma once

#include <string_view>

#include "base/glob.h"

namespace thence::modules {

/// A pattern without dots is matched with the last part of a class name, any other pattern with the whole
/// name. An unknown class matches no pattern.
bool class_matches(const base::Glob& glob, std::string_view class_name);

}  // namespace thence::modules
