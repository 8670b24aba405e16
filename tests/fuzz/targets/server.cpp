// Answers the requests of a connection, without a socket. In an input, @C is a valid cookie and @H the host.
#include "../fuzz.h"
#include "../small_model.h"
#include "base/json.h"
#include "serve/site.h"

namespace thence::fuzz {
namespace {

constexpr std::uint16_t port = 4321;
constexpr std::size_t most_requests = 16;

void replace_all(std::string& text, std::string_view mark, std::string_view by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
}

std::string log_in(serve::Site& site) {
  const std::string url = site.url();
  serve::Request request;
  std::size_t taken = 0;
  const std::string text = "GET " + url.substr(url.rfind('/')) +
                           " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
  require(serve::parse_request(text, request, taken) == serve::Parse::complete, "the first request is valid");
  for (const auto& [name, value] : site.answer(request).headers)
    if (name == "Set-Cookie") return value.substr(0, value.find(';'));
  require(false, "the token is exchanged for a cookie");
  return {};
}

void check_response(const serve::Response& response, bool is_allowed) {
  require(is_allowed || response.status != 200, "no answer without the cookie");
  if (response.type.find("json") != std::string_view::npos) require_json(response.body, "answer");
  for (const auto& [name, value] : response.headers) require_printable(value, "header");
  const std::string bytes = serve::to_bytes(response, true, true);
  require(bytes.ends_with(response.body), "the body is sent");
}

void answer_requests(std::string_view input) {
  static const serve::ViewModels data(small_map(), {});
  static serve::Site site(data, {"<html>", "script", "style"}, port);
  static const std::string cookie = log_in(site);
  std::string text(input);
  replace_all(text, "@C", "Cookie: " + cookie);
  replace_all(text, "@H", "Host: 127.0.0.1:" + std::to_string(port));
  std::string_view rest = text;
  for (std::size_t i = 0; i < most_requests && !rest.empty(); ++i) {
    serve::Request request;
    std::size_t taken = 0;
    if (serve::parse_request(rest, request, taken) != serve::Parse::complete) return;
    require(taken > 0 && taken <= rest.size(), "a request has a size");
    const std::string_view secret = std::string_view(cookie).substr(cookie.find('=') + 1);
    check_response(site.answer(request), rest.substr(0, taken).find(secret) != std::string_view::npos);
    rest.remove_prefix(taken);
  }
}

const Registration server_target({"server", answer_requests, {Part::text}});

}  // namespace
}  // namespace thence::fuzz
