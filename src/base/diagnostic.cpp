#include "base/diagnostic.h"

namespace thence {

void Diagnostics::add(std::string_view code, const std::function<Diagnostic()>& make) {
  auto found = counts_.find(code);
  if (found == counts_.end()) found = counts_.emplace(code, 0).first;
  if (found->second++ < kept_per_code) kept_.push_back(make());
}

void Diagnostics::add(Diagnostic diagnostic) {
  const std::string code = diagnostic.code;
  add(code, [&] { return std::move(diagnostic); });
}

}  // namespace thence
