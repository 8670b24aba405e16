// JSON's primitives, which live in base; the formats reach them here.
#pragma once

#include "base/json_text.h"

namespace thence::output {

using base::append_json_string;
using base::append_json_string_or_null;
using base::append_number;

}  // namespace thence::output
