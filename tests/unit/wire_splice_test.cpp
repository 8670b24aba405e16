#include "wire/splice.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "wire/fields.h"

namespace thence::wire {
namespace {

std::string written(const Splice& splice) {
  std::string bytes;
  base::Writer out([&](std::string_view piece) { return bytes.append(piece), true; });
  splice.write(out);
  out.flush();
  return bytes;
}

std::string spliced_field(std::uint32_t number, std::string_view payload) {
  std::string out;
  append_field(out, number, payload);
  return out;
}

RC_GTEST_PROP(Splice, CopiesUnchanged, (const std::string& file)) {
  Splice splice(file);
  const std::size_t middle = file.size() / 2;
  splice.copy(std::string_view(file).substr(0, middle));
  splice.copy(std::string_view(file).substr(middle));
  RC_ASSERT(written(splice) == file);
  RC_ASSERT(splice.size() == file.size());
}

// An inner message grows past what its length and those around it took.
RC_GTEST_PROP(Splice, UpdatesLengthsOfEnclosingMessages,
              (const std::string& front, const std::string& added)) {
  const std::string inner = spliced_field(1, front);
  const std::string file = spliced_field(2, spliced_field(3, inner));
  Splice splice(file);
  Fields outer(file);
  RC_ASSERT(outer.next());
  Fields middle(outer.bytes());
  RC_ASSERT(middle.next());
  splice.open(outer.tag());
  splice.open(middle.tag());
  splice.copy(middle.bytes());
  splice.insert(added);
  splice.close();
  splice.close();
  RC_ASSERT(written(splice) == spliced_field(2, spliced_field(3, inner + added)));
  RC_ASSERT(splice.size() == written(splice).size());
}

}  // namespace
}  // namespace thence::wire
