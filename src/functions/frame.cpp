#include "functions/frame.h"

#include "base/text.h"

namespace thence::functions {
namespace {

// The path in the name of a folded call: "layer.0" for "layer.0:1", its second call. A path that begins with
// a dot is relative to the module of the enclosing function.
std::string path_of_call(std::string_view name, const std::string& enclosing) {
  const std::size_t colon = name.rfind(':');
  if (colon != std::string_view::npos && base::is_digits(name.substr(colon + 1)))
    name = name.substr(0, colon);
  return name.starts_with('.') ? enclosing + std::string(name) : std::string(name);
}

// "/encoder/layer.0" for "encoder.layer.0": an entry of a list is in one part with the list.
std::string scope_of_path(std::string_view path) {
  std::string scope;
  bool is_first = true;
  for (const std::string_view part : base::split(path, '.')) {
    scope += is_first || !base::is_digits(part) ? "/" : ".";
    scope += part;
    is_first = false;
  }
  return scope;
}

}  // namespace

void name_frame(Frame& frame, const Frame& caller, bool is_folded, std::string_view call_name,
                std::string_view function) {
  if (is_folded) {
    frame.path = path_of_call(call_name, caller.path);
    frame.prefix = scope_of_path(frame.path);
    return;
  }
  frame.path = caller.path;
  frame.prefix = caller.prefix.empty() ? std::string() : caller.prefix + "/";
  frame.prefix += call_name.empty() ? function : call_name;
}

}  // namespace thence::functions
