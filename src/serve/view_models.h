// ViewModels: the models that one page shows, and how they correspond. One model, or two side by side.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "serve/view_data.h"

namespace thence::serve {

class ViewModels {
 public:
  /// The map must outlive this object.
  ViewModels(const semantics::Map& map, Overlay overlay);
  /// The same with another model beside it, which `overlay.comparison` compares it with.
  ViewModels(const semantics::Map& map, const semantics::Map& other, Overlay overlay);

  const ViewData& main() const { return main_; }
  const ViewData* other() const { return other_ ? &*other_ : nullptr; }

  /// Answers a question of ViewData; the parameter "side" with the value "other" asks the model beside. The
  /// question "counterparts" gives {"ids"}: the modules or nodes of the other side that correspond to "id".
  Result<std::string> answer(std::string_view question, const Parameters& parameters) const;
  /// Writes {"modules": {id: id}, "nodes": {id: [id]}}: what corresponds to each of the main model.
  void write_links(base::JsonWriter& json) const;

 private:
  Result<std::string> counterparts(const ViewData& asked, const Parameters& parameters) const;
  std::optional<ModuleId> counterpart(const ViewData& asked, ModuleId module) const;

  ViewData main_;
  std::optional<ViewData> other_;
};

}  // namespace thence::serve
