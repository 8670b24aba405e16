// The temporary folder in which Python records a profile.
#pragma once

#include <string>

#include "base/result.h"

namespace thence::cli {

/// The files that Python writes into the folder, beside others.
inline constexpr const char* recorded_profile = "profile.json";
inline constexpr const char* optimised_model = "optimised.onnx";

/// Makes the folder. It is removed at the end of its lifetime, or by remove_run_folder() if a signal ends the
/// program. There is one at a time.
class RunFolder {
 public:
  static Result<std::string> make();
  RunFolder() = default;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();
};

/// Removes the folder, if there is one. Safe in a signal handler.
void remove_run_folder();

}  // namespace thence::cli
