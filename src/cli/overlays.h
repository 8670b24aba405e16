// The flags of `view` and `report` that show other files together with the model.
#pragma once

#include <memory>
#include <string>

#include "cli/command.h"
#include "serve/view_models.h"

namespace thence::cli {

struct OverlayFlags {
  std::string ancestor, diff, capture_of_diff, profile, drift;
};

void add_overlay_flags(Command& command, OverlayFlags& flags);

/// The models to show. Null after an error, which was printed.
struct OpenedView {
  std::unique_ptr<const serve::ViewModels> models = nullptr;
  int exit_code = done;
};
OpenedView open_view(ModelFlags& flags, const OverlayFlags& overlays);

}  // namespace thence::cli
