// The account of parameters: where each parameter of the live model is in the file, and what each initializer
// adds to the count of which module. Every parameter counts once, however often the file stores it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "semantics/map.h"
#include "weights/weight.h"

namespace thence::weights {

/// A parameter or buffer of the live model.
struct AccountRow {
  const capture::CapturedParameter* parameter = nullptr;
  modules::ModuleId module = modules::no_module;  // as the map reports it
  std::uint64_t elements = 0;
  std::uint64_t in_file = 0;  // elements that initializers hold
  bool is_folded = false;     // no initializer holds it, but one was computed with it

  std::uint64_t folded() const { return is_folded && in_file == 0 ? elements : 0; }
  std::uint64_t absent() const { return elements - in_file - folded(); }
};

/// Elements of an initializer that count for a module.
enum class CountedAs : std::uint8_t { parameter, buffer, constant };
struct Share {
  modules::ModuleId module = modules::no_module;
  CountedAs counted_as = CountedAs::parameter;
  std::uint64_t elements = 0;
};

struct Account {
  std::vector<Share> shares;
  std::vector<AccountRow> rows;  // in the order of the live model
  bool has_live_model = false;   // the parameters of the live model and their sizes are known
};

/// `weights` are those of the map's initializers.
Account account_for_parameters(const semantics::Map& map, const std::vector<Weight>& weights);

}  // namespace thence::weights
