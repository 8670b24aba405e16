#include "serve/http_message.h"

#include <algorithm>

#include "base/format.h"

namespace thence::serve {
namespace {

constexpr std::size_t max_headers = 100;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      if (i + 2 >= text.size() || hex_digit(text[i + 1]) < 0 || hex_digit(text[i + 2]) < 0)
        return std::nullopt;
      out.push_back(static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
      i += 2;
    }
  }
  return out;
}

bool read_parameters(std::string_view text, Parameters& parameters) {
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    const auto name = decode(one.substr(0, equals)),
               value = decode(one.substr(std::min(equals + 1, one.size())));
    if (!name || !value || !parameters.emplace(*name, *value).second) return false;
  }
  return true;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool read_request_line(std::string_view line, Request& request) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  const std::string_view target = line.substr(first + 1, last - first - 1), version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return false;
  if (!target.starts_with('/') || target.find(' ') != std::string_view::npos) return false;
  request.method = line.substr(0, first);
  request.path = target.substr(0, target.find('?'));
  if (!is_token(request.method)) return false;
  return request.path.size() == target.size() ||
         read_parameters(target.substr(request.path.size() + 1), request.parameters);
}

bool read_header(std::string_view line, Request& request) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  std::string_view value = line.substr(colon + 1);
  while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
  while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
  request.headers.emplace_back(std::move(name), value);
  return request.headers.size() <= max_headers;
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 303: return "See Other";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    default: return "Error";
  }
}

}  // namespace

bool Request::has_header(std::string_view name) const {
  return std::any_of(headers.begin(), headers.end(), [&](const auto& one) { return one.first == name; });
}

std::optional<std::string_view> Request::header(std::string_view name) const {
  std::optional<std::string_view> value;
  for (const auto& [key, text] : headers) {
    if (key != name) continue;
    if (value) return std::nullopt;
    value = text;
  }
  return value;
}

std::string_view Request::cookie(std::string_view name) const {
  std::string_view rest = header("cookie").value_or("");
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
  }
  return {};
}

Parse parse_request(std::string_view bytes, Request& request, std::size_t& taken) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return Parse::incomplete;
  taken = end + 4;
  std::string_view rest = bytes.substr(0, end);
  bool is_first = true;
  while (is_first || !rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(std::min(line.size() + 2, rest.size()));
    if (has_control_character(line)) return Parse::malformed;
    if (is_first ? !read_request_line(line, request) : !read_header(line, request)) return Parse::malformed;
    is_first = false;
  }
  // A body would be read as the next request.
  const bool has_body = request.has_header("transfer-encoding") ||
                        (request.has_header("content-length") && request.header("content-length") != "0");
  return has_body ? Parse::malformed : Parse::complete;
}

std::string to_bytes(const Response& response, bool with_body, bool keep_alive) {
  std::string out = base::format("HTTP/1.1 {} {}\r\n", response.status, reason_of(response.status));
  base::append_format(out, "Content-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n", response.type,
                      response.body.size(), keep_alive ? "keep-alive" : "close");
  out +=
      "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
      "worker-src blob:; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors "
      "'none'\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
      "Cache-Control: no-store\r\n";
  for (const auto& [name, value] : response.headers) base::append_format(out, "{}: {}\r\n", name, value);
  out += "\r\n";
  if (with_body) out += response.body;
  return out;
}

}  // namespace thence::serve
