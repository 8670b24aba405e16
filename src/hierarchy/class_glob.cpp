#include "hierarchy/class_glob.h"

#include "hierarchy/module_tree.h"

namespace thence::hierarchy {

bool class_fits(const base::Glob& glob, std::string_view class_name) {
  if (class_name.empty()) return false;
  return glob.text().find('.') == std::string::npos ? glob.fits_word(short_class(class_name))
                                                    : glob.fits(class_name);
}

}  // namespace thence::hierarchy
