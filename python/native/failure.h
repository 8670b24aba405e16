// How the core's errors leave it.
#pragma once

#include <nanobind/nanobind.h>

#include "base/result.h"
#include "semantics/map.h"

namespace thence::python {

/// Raised as thence.Error(kind, code, text, hint); kind is the exit code that the program would end with.
struct Failure {
  Error error;
  int kind = static_cast<int>(error.kind);
};

[[noreturn]] inline void fail(const Error& error) { throw Failure{error}; }

/// thence._core.Questions.
void add_questions(nanobind::module_& module);
/// thence._core.weights.
void add_weights(nanobind::module_& module);
void add_profile(nanobind::module_& module);

}  // namespace thence::python
