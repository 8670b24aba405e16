#include "modules/class_glob.h"

#include "modules/module_tree.h"

namespace thence::modules {

bool class_fits(const base::Glob& glob, std::string_view class_name) {
  if (class_name.empty()) return false;
  return glob.text().find('.') == std::string::npos ? glob.fits_word(short_class(class_name))
                                                    : glob.fits(class_name);
}

}  // namespace thence::modules
