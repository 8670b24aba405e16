// What every SARIF log of ours begins with.
#pragma once

#include <string>

namespace thence::output {

/// Up to the list of the tool's rules, which the caller goes on with.
void append_sarif_head(std::string& out);

}  // namespace thence::output
