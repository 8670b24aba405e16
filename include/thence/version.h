// The version of these headers, by semantic versioning (https://semver.org).
//
// What is promised: every name that the headers of include/thence declare in the namespace thence. Names in
// nested namespaces, and the libraries themselves, are not part of it: link the library of the same version.
//
// - A new major version may remove or change names. Before 1.0, a new minor version may.
// - A new minor version only adds: functions, members at the end of option structs, enumerators. Handle
//   enumerators that you do not know.
// - A new patch version changes no declaration.
#pragma once

#define THENCE_VERSION_MAJOR 0
#define THENCE_VERSION_MINOR 1
#define THENCE_VERSION_PATCH 0

namespace thence {

/// The version of the library that is linked, such as "0.1.0".
const char* version();

}  // namespace thence
