#include "output/uri.h"

#include <iterator>
#include "base/format.h"

namespace thence::output {

void append_uri(std::string& out, std::string_view file) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  out.push_back('"');
  for (const char c : file)
    if (plain.find(c) != std::string_view::npos)
      out.push_back(c);
    else
      base::append_format(out, "%{:02X}", static_cast<unsigned char>(c));
  out.push_back('"');
}

}  // namespace thence::output
