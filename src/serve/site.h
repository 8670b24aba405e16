// Site: decides which requests are answered, and with what. A request must come from the page itself: its
// Host and Origin are exactly this server's, and it has the cookie that the printed URL was exchanged for.
#pragma once

#include <cstdint>
#include <string>

#include "serve/http_message.h"
#include "serve/page.h"
#include "serve/view_models.h"

namespace thence::serve {

class Site {
 public:
  /// `data` must outlive this object.
  Site(const ViewModels& data, Page page, std::uint16_t port);

  /// The address to open. Its token works once.
  std::string url() const;
  Response answer(const Request& request);

 private:
  bool is_same_site(const Request& request) const;
  Response exchange_token(const Request& request);
  Response answer_route(const Request& request) const;

  const ViewModels& data_;
  Page page_;
  std::string host_;    // "127.0.0.1:PORT"
  std::string cookie_;  // its name; ports share cookies, so it contains the port
  std::string token_, secret_;
};

/// 128 random bits as hexadecimal digits.
std::string random_token();

}  // namespace thence::serve
