#include "output/uri.h"

#include "base/format.h"

namespace thence::output {

std::string uri_of(std::string_view file) {
  constexpr std::string_view unreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri;
  for (const char c : file)
    if (unreserved.find(c) != std::string_view::npos)
      uri.push_back(c);
    else
      base::append_format(uri, "%{:02X}", static_cast<unsigned char>(c));
  return uri;
}

}  // namespace thence::output
