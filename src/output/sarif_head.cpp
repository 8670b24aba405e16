#include "output/sarif_head.h"

namespace thence::output {

void append_sarif_head(std::string& out) {
  out += R"({"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":)"
         R"({"driver":{"name":"thence","version":")" THENCE_VERSION R"(","rules":[)";
}

}  // namespace thence::output
