#include "serve/site.h"

#include <sys/random.h>

#include <array>
#include <stdexcept>

#include "base/format.h"
#include "base/json_writer.h"

namespace thence::serve {
namespace {

// The time does not depend on where the texts differ.
bool is_equal_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.empty()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

Response refuse(int status, std::string text) { return {.status = status, .body = std::move(text)}; }

constexpr std::string_view json_type = "application/json; charset=utf-8";
constexpr std::string_view api = "/api/";

Response error_response(const Error& error) {
  Response response{.status = 400, .type = json_type};
  base::JsonWriter json(response.body);
  json.begin_object();
  json.member<"code">(error.code);
  json.member<"error">(error.text);
  json.member<"hint">(error.hint);
  json.end_object();
  return response;
}

}  // namespace

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("getrandom failed");
  std::string text;
  for (const unsigned char byte : bytes) base::append_format(text, "{:02x}", static_cast<unsigned>(byte));
  return text;
}

Site::Site(const ViewModels& data, Page page, std::uint16_t port)
    : data_(data),
      page_(std::move(page)),
      host_(base::format("127.0.0.1:{}", port)),
      cookie_(base::format("thence-{}", port)),
      token_(random_token()),
      secret_(random_token()) {}

std::string Site::url() const { return base::format("http://{}/?token={}", host_, token_); }

// Browsers send Origin with some requests only, and Sec-Fetch-Site with all, unless they are old.
bool Site::is_same_site(const Request& request) const {
  if (request.header("host") != host_) return false;
  if (request.has_header("origin") && request.header("origin") != "http://" + host_) return false;
  const auto from = request.header("sec-fetch-site");
  return !request.has_header("sec-fetch-site") || from == "same-origin" || from == "none";
}

// The token is in the history of the browser and in the list of processes, so it must be worthless after its
// use.
Response Site::exchange_token(const Request& request) {
  const auto given = request.parameters.find("token");
  if (!is_equal_secret(given->second, token_))
    return refuse(
        403,
        "This link was already used, or is not of this run of thence view. Start it again for a new link.\n");
  token_.clear();
  Response response{.status = 303};
  response.headers.emplace_back("Location", "/");
  response.headers.emplace_back("Set-Cookie",
                                base::format("{}={}; HttpOnly; SameSite=Strict; Path=/", cookie_, secret_));
  return response;
}

Response Site::answer(const Request& request) {
  const bool starts_page = request.path == "/";
  if (!is_same_site(request)) return refuse(403, "The request does not come from the page of thence view.\n");
  if (request.method != "GET" && request.method != "HEAD") {
    Response response = refuse(405, "Only GET and HEAD are answered.\n");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  const bool is_known = is_equal_secret(request.cookie(cookie_), secret_);
  if (starts_page && request.parameters.contains("token")) {
    if (!is_known) return exchange_token(request);
    Response response{.status = 303};
    response.headers.emplace_back("Location", "/");
    return response;
  }
  if (!is_known) return refuse(403, "Open the link that thence view printed.\n");
  return answer_route(request);
}

Response Site::answer_route(const Request& request) const {
  if (request.path == "/") return {.type = "text/html; charset=utf-8", .body = page_.html};
  if (request.path == "/app.js") return {.type = "text/javascript; charset=utf-8", .body = page_.script};
  if (request.path == "/app.css") return {.type = "text/css; charset=utf-8", .body = page_.style};
  if (!request.path.starts_with(api)) return refuse(404, "There is no such page.\n");
  const std::string_view question = std::string_view(request.path).substr(api.size());
  Result<std::string> answer = data_.answer(question, request.parameters);
  if (!answer) return error_response(answer.error());
  return {.type = json_type, .body = *std::move(answer)};
}

}  // namespace thence::serve
