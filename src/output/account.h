// The account of parameters and the operators that are not counted, as JSON and as lines below the table.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "output/tally.h"

namespace thence::output {

void write_account(const weights::Account& account, base::JsonWriter& json);
void write_uncounted(const std::vector<Uncounted>& uncounted, base::JsonWriter& json);

/// Lines for users; empty if the live model is not known.
std::string account_text(const weights::Account& account);
/// One line; empty if all operators are counted.
std::string uncounted_text(const std::vector<Uncounted>& uncounted);

}  // namespace thence::output
