// --model: a saved model as a reference. Python describes it, without running it or loading its weights.
#pragma once

#include "cli/command.h"

namespace thence::cli {

/// Sets the option `checkpoint` if the flag is given, and returns an exit code. Prints the error if there is
/// one.
[[nodiscard]] int describe_saved_model(ModelFlags& flags);

/// Whether a file belongs to the saved model: its configuration, or a file of its weights.
bool is_part_of_saved_model(const ModelFlags& flags, const std::string& file);

}  // namespace thence::cli
