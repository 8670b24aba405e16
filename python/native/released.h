// Work without the lock of the interpreter, and its results for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "base/written_text.h"
#include "failure.h"

namespace thence::python {

using base::written_text;

/// Runs `work` without the lock, so that other threads of Python run. It may fail; it touches no Python
/// object.
template <class Work>
auto released(Work work) {
  const nanobind::gil_scoped_release release;
  return work();
}

/// The value of a result; fails if it is an error.
template <class T>
T value_of(Result<T> result) {
  if (!result) fail(result.error());
  return *std::move(result);
}

inline nanobind::bytes to_bytes(const std::string& text) { return nanobind::bytes(text.data(), text.size()); }

}  // namespace thence::python
