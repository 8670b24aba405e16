#include "modules/class_glob.h"

#include "modules/module_tree.h"

namespace thence::modules {

bool class_matches(const base::Glob& glob, std::string_view class_name) {
  if (class_name.empty()) return false;
  return glob.text().find('.') == std::string::npos ? glob.matches_word(short_class(class_name))
                                                    : glob.matches(class_name);
}

}  // namespace thence::modules
