// How the core's errors leave it.
#pragma once

#include <nanobind/nanobind.h>

#include "base/result.h"

namespace thence::python {

/// The kind of an error for something that was not found, as the exit code of the program.
inline constexpr int nothing_found = 1;

/// Raised as thence.Error(kind, code, text, hint); kind is the exit code that the program would end with.
struct Failure {
  Error error;
  int kind = static_cast<int>(error.kind);
};

[[noreturn]] inline void fail(const Error& error) { throw Failure{error}; }

/// The functions of thence._core, one per file.
void add_questions(nanobind::module_& module);
void add_answers(nanobind::module_& module);
void add_comparisons(nanobind::module_& module);
void add_edits(nanobind::module_& module);
void add_profile(nanobind::module_& module);

}  // namespace thence::python
