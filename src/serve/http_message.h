// The part of HTTP/1.1 that the viewer's server supports: requests without a body, and whole responses.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/view_data.h"

namespace thence::serve {

struct Request {
  std::string method;
  std::string path;  // as sent: escapes are not decoded, so that a path is one of the routes or nothing
  Parameters parameters;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case

  /// The value of a header that occurs exactly once. Two Host or Origin headers are an attack.
  std::optional<std::string_view> header(std::string_view name) const;
  bool has_header(std::string_view name) const;
  /// The value of a cookie; empty if it is not sent.
  std::string_view cookie(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string_view type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string_view, std::string>> headers = {};
};

enum class Parse { incomplete, malformed, complete };
/// Reads the request at the front of `bytes`, and the number of bytes that it takes.
Parse parse_request(std::string_view bytes, Request& request, std::size_t& taken);

/// The bytes of a response. Every response has headers that isolate it from other sites.
std::string to_bytes(const Response& response, bool with_body, bool keep_alive);

}  // namespace thence::serve
