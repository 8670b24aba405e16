// HttpServer: a loop over connections on loopback. One thread answers all of them, because answers are short
// and share data that is not thread-safe. It does not use a library: those that exist bring TLS and
// compression into every start of the program, and this needs neither.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "serve/http_message.h"

namespace thence::serve {

class HttpServer {
 public:
  /// Listens on 127.0.0.1; port 0 chooses a free one.
  static Result<HttpServer> listen(std::uint16_t port);
  HttpServer(HttpServer&& other) noexcept;
  HttpServer& operator=(HttpServer&&) = delete;
  ~HttpServer();

  std::uint16_t port() const { return port_; }
  /// Answers requests until `is_stopped` returns true, which is asked at least once per second.
  void run(const std::function<Response(const Request&)>& answer, const std::function<bool()>& is_stopped);

 private:
  HttpServer(int descriptor, std::uint16_t port) : descriptor_(descriptor), port_(port) {}

  int descriptor_;
  std::uint16_t port_;
};

}  // namespace thence::serve
