// Result<T>: a value, or an Error that states what is wrong, where, and what to do.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace thence {

/// The kind of failure. The number is the exit code of the program.
enum class ErrorKind { difference = 1, usage = 2, bad_input = 3, input_output = 4 };

struct Error {
  ErrorKind kind = ErrorKind::bad_input;
  std::string code;  // such as "W003"; docs/errors.md lists them all
  std::string text;  // what and where
  std::string hint;  // what to do; may be empty
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::move(error)) {}  // NOLINT

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  T& operator*() & { return get(); }
  const T& operator*() const& { return const_cast<Result*>(this)->get(); }
  T&& operator*() && { return std::move(get()); }
  T* operator->() { return &get(); }
  const T* operator->() const { return &const_cast<Result*>(this)->get(); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  T& get() {
    assert(std::holds_alternative<T>(state_));
    return *std::get_if<T>(&state_);
  }
  std::variant<T, Error> state_;
};

}  // namespace thence
