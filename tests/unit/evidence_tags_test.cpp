#include <gtest/gtest.h>

#include "evidence_parts.h"
#include "hierarchy/fingerprint.h"

namespace thence::evidence {
namespace {

test::Message tagged(std::string_view fingerprint) {
  test::Message node = test::node("Relu", {"x"}, {"y"});
  node.inner(onnx::NodeField::metadata_props, test::metadata("pkg.thence.module", "a.b"));
  node.inner(onnx::NodeField::metadata_props, test::metadata("pkg.thence.fingerprint", fingerprint));
  return test::model(test::graph({node}));
}

TEST(Tags, AreUsedIfTheFingerprintFits) {
  const test::ReadModel plain(test::model(test::graph({test::node("Relu", {"x"}, {"y"})})));
  const hierarchy::Fingerprint fingerprint(plain.model(), 0);
  const test::ModelWithHierarchy net(tagged(fingerprint.text()));
  Sink sink;
  collect_tags(net.model(), net.hierarchy, sink);
  EXPECT_EQ(lines_of(net, sink, Source::tags), test::Lines{"0 a.b names_one (a.b)"});
}

TEST(Tags, AreIgnoredIfTheNodeChanged) {
  const test::ModelWithHierarchy net(tagged("0123456789abcdef"));
  ASSERT_EQ(net.hierarchy.tags().size(), 1u);
  Sink sink;
  collect_tags(net.model(), net.hierarchy, sink);
  EXPECT_TRUE(sink.of(Source::tags).empty());
}

}  // namespace
}  // namespace thence::evidence
