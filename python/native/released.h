// Work without the lock of the interpreter, and its results for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "base/writer.h"
#include "failure.h"

namespace thence::python {

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

/// What `write` writes.
template <class Write>
std::string text_of(Write write) {
  std::string text;
  base::Writer out([&](std::string_view piece) { return text.append(piece), true; });
  write(out);
  out.flush();
  return text;
}

inline nanobind::bytes to_bytes(const std::string& text) { return nanobind::bytes(text.data(), text.size()); }

}  // namespace thence::python
