// Shared by the examples: prints an error as the program does.
#pragma once

#include <iostream>

#include <thence/thence.h>

/// The exit code of the program for this error.
inline int fail(const thence::Error& error) {
  std::cerr << error.code << ": " << error.text << '\n' << error.hint << '\n';
  return static_cast<int>(error.kind);
}

inline int usage(const char* text) {
  std::cerr << "usage: " << text << '\n';
  return static_cast<int>(thence::ErrorKind::usage);
}
