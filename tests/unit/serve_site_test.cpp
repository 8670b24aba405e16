// Who gets an answer: every route with a wrong host, origin, token, method or path.
#include "serve/site.h"

#include "serve/http_message.h"
#include "serve_parts.h"

namespace thence::test {
namespace {

using serve::Parse;
using serve::Request;
using serve::Response;

class Visiting : public Serving {
 protected:
  static constexpr std::uint16_t port = 4321;
  const serve::ViewModels data{*map, {}};
  serve::Site site{data, {"<html>", "script", "style"}, port};
  std::string cookie;

  static constexpr const char* routes[] = {"/",
                                           "/app.js",
                                           "/app.css",
                                           "/api/model",
                                           "/api/open?id=m0",
                                           "/api/children?id=m0",
                                           "/api/node?id=n0",
                                           "/api/locate?id=n0",
                                           "/api/search?text=a",
                                           "/api/where?text=op_type+%3D+%27Add%27",
                                           "/api/review",
                                           "/api/flow?id=n0&direction=upstream"};

  static std::string head(std::string_view method, std::string_view path,
                          std::string_view host = "127.0.0.1:4321") {
    return std::string(method) + " " + std::string(path) + " HTTP/1.1\r\nHost: " + std::string(host) + "\r\n";
  }
  Response send(const std::string& text) {
    Request request;
    std::size_t taken = 0;
    if (serve::parse_request(text + "\r\n", request, taken) != Parse::complete) return {.status = 400};
    return site.answer(request);
  }
  void log_in() {
    const std::string url = site.url();
    const Response response = send(head("GET", url.substr(url.rfind('/'))));
    ASSERT_EQ(response.status, 303);
    for (const auto& [name, value] : response.headers)
      if (name == "Set-Cookie") cookie = "Cookie: a=b; " + value.substr(0, value.find(';')) + "\r\n";
  }
};

TEST_F(Visiting, AnswersThePageAfterTheTokenWasExchanged) {
  log_in();
  for (const char* route : routes) {
    EXPECT_EQ(send(head("GET", route) + cookie).status, 200) << route;
    EXPECT_EQ(send(head("HEAD", route) + cookie).status, 200) << route;
    EXPECT_EQ(
        send(head("GET", route) + cookie + "Origin: http://127.0.0.1:4321\r\nSec-Fetch-Site: same-origin\r\n")
            .status,
        200)
        << route;
  }
}

TEST_F(Visiting, TakesTheTokenOnce) {
  const std::string path = site.url().substr(site.url().rfind('/'));
  log_in();
  EXPECT_EQ(send(head("GET", path)).status, 403);
  EXPECT_EQ(send(head("GET", path) + cookie).status, 303);  // the same browser
  EXPECT_EQ(send(head("GET", "/?token=")).status, 403);
}

TEST_F(Visiting, KeepsTheCookieFromScriptsAndOtherSites) {
  const std::string path = site.url().substr(site.url().rfind('/'));
  const Response response = send(head("GET", path));
  ASSERT_EQ(response.headers.size(), 2);
  EXPECT_NE(response.headers[1].second.find("HttpOnly; SameSite=Strict; Path=/"), std::string::npos);
  EXPECT_EQ(response.headers[0].second, "/");
}

TEST_F(Visiting, RefusesEveryoneElse) {
  log_in();
  for (const char* route : routes) {
    EXPECT_EQ(send(head("GET", route)).status, 403) << route;
    EXPECT_EQ(send(head("GET", route) + "Cookie: thence-4321=0123456789abcdef0123456789abcdef\r\n").status,
              403)
        << route;
    EXPECT_EQ(send(head("GET", route) + "Cookie: thence-4321=\r\n").status, 403) << route;
    for (const char* host : {"localhost:4321", "evil.example", "127.0.0.1", "127.0.0.1:80",
                             "127.0.0.1:4321.evil.example", "127.0.0.1:43210", ""})
      EXPECT_EQ(send(head("GET", route, host) + cookie).status, 403) << route << " " << host;
    EXPECT_EQ(send("GET " + std::string(route) + " HTTP/1.1\r\n" + cookie).status, 403) << route;
    EXPECT_EQ(send(head("GET", route) + "Host: 127.0.0.1:4321\r\n" + cookie).status, 403) << route;
    for (const char* origin :
         {"null", "http://evil.example", "https://127.0.0.1:4321", "http://127.0.0.1:4321/"})
      EXPECT_EQ(send(head("GET", route) + cookie + "Origin: " + origin + "\r\n").status, 403)
          << route << origin;
    for (const char* from : {"cross-site", "same-site"})
      EXPECT_EQ(send(head("GET", route) + cookie + "Sec-Fetch-Site: " + from + "\r\n").status, 403)
          << route << from;
  }
}

TEST_F(Visiting, AnswersNoOtherMethod) {
  log_in();
  for (const char* route : routes)
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get"})
      EXPECT_EQ(send(head(method, route) + cookie).status, 405) << method << " " << route;
}

TEST_F(Visiting, OpensNoFile) {
  log_in();
  for (const char* path : {"/etc/passwd", "/../etc/passwd", "/%2e%2e/etc/passwd", "/app.js/..", "/api",
                           "/index.html", "//etc/passwd", "/app.js%00", "/APP.JS"})
    EXPECT_EQ(send(head("GET", path) + cookie).status, 404) << path;
  for (const char* path :
       {"/api/", "/api/../model", "/api/model/", "/api/%6dodel", "/api/open?id=../../etc/passwd"})
    EXPECT_EQ(send(head("GET", path) + cookie).status, 400) << path;
}

TEST_F(Visiting, ReportsErrorsAsJson) {
  log_in();
  const Response response = send(head("GET", "/api/where?text=op_type+%3D") + cookie);
  EXPECT_EQ(response.status, 400);
  EXPECT_TRUE(response.body.starts_with(R"({"code":"Q)")) << response.body;
}

TEST(ReadingRequests, RefusesMalformedOnes) {
  for (const char* text :
       {"", "GET", "GET /", "GET / HTTP/2", "GET http://a/ HTTP/1.1", "GET  / HTTP/1.1", "GET /a b HTTP/1.1",
        "G\tT / HTTP/1.1", "GET /?a=%zz HTTP/1.1", "GET /?a=%2 HTTP/1.1", "GET /?a=1&a=2 HTTP/1.1",
        "GET / HTTP/1.1\r\nno colon", "GET / HTTP/1.1\r\n: x", "GET / HTTP/1.1\r\nA b: x",
        "GET / HTTP/1.1\r\nA: x\r\n continued", "GET / HTTP/1.1\r\nContent-Length: 5",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked", "GET / HTTP/1.1\r\nA: b\nHost: c"}) {
    Request request;
    std::size_t taken = 0;
    EXPECT_EQ(serve::parse_request(std::string(text) + "\r\n\r\n", request, taken), Parse::malformed) << text;
  }
  Request request;
  std::size_t taken = 0;
  EXPECT_EQ(serve::parse_request("GET / HTTP/1.1\r\nHost: a\r\n", request, taken), Parse::incomplete);
}

TEST(ReadingRequests, DecodesParameters) {
  Request request;
  std::size_t taken = 0;
  EXPECT_EQ(serve::parse_request("GET /a?x=1%202+3&y= HTTP/1.1\r\n\r\nrest", request, taken),
            Parse::complete);
  EXPECT_EQ(request.path, "/a");
  EXPECT_EQ(request.parameters, (serve::Parameters{{"x", "1 2 3"}, {"y", ""}}));
  EXPECT_EQ(taken, std::string("GET /a?x=1%202+3&y= HTTP/1.1\r\n\r\n").size());
}

TEST(WritingResponses, IsolatesThem) {
  const std::string bytes = serve::to_bytes({.body = "x"}, true, true);
  for (const char* part : {"script-src 'self'", "default-src 'none'", "nosniff", "Cache-Control: no-store"})
    EXPECT_NE(bytes.find(part), std::string::npos) << part;
  EXPECT_EQ(bytes.find("unsafe"), std::string::npos);
  EXPECT_TRUE(bytes.ends_with("\r\n\r\nx"));
  EXPECT_TRUE(serve::to_bytes({.body = "x"}, false, true).ends_with("Cache-Control: no-store\r\n\r\n"));
}

TEST(MakingTokens, NeverRepeatsOne) {
  EXPECT_EQ(serve::random_token().size(), 32);
  EXPECT_NE(serve::random_token(), serve::random_token());
}

}  // namespace
}  // namespace thence::test
