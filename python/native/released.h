// Work without the lock of the interpreter, and its results for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/cut_file.h"
#include "base/written_text.h"
#include "failure.h"

namespace thence::python {

using base::written_text;

/// Runs `work` without the lock, so that other threads of Python run. It may fail; it touches no Python
/// object. It fails if a file that it reads is cut or changed meanwhile; without the guard, the process would
/// end by a signal.
template <class Work>
auto released(Work work) {
  const nanobind::gil_scoped_release release;
  const base::CutFileGuard guard;
  const auto check = [&] {
    if (const std::optional<Error> error = guard.error()) fail(*error);
  };
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      check();
    } else {
      auto answer = work();
      check();
      return answer;
    }
  } catch (const Failure&) {
    check();  // the reason of the failure
    throw;
  }
}

/// The value of a result; fails if it is an error.
template <class T>
T value_of(Result<T> result) {
  if (!result) fail(result.error());
  return *std::move(result);
}

inline nanobind::bytes to_bytes(const std::string& text) { return nanobind::bytes(text.data(), text.size()); }

}  // namespace thence::python
