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

TEST(Tags, KeepTheCallTheMembersAndTheirParts) {
  const test::ReadModel plain(test::model(test::graph({test::node("Relu", {"x"}, {"y"})})));
  test::Message node = test::node("Relu", {"x"}, {"y"});
  const std::string fingerprint(hierarchy::Fingerprint(plain.model(), 0).text());
  for (const auto& [key, value] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"pkg.thence.module", "a b"},
           {"pkg.thence.fingerprint", fingerprint},
           {"pkg.thence.call", "2"},
           {"pkg.thence.weight_owner", "c"},
           {"pkg.thence.modules", "a%20b c"},
           {"pkg.thence.parts", "primary+activation compute"}})
    node.inner(onnx::NodeField::metadata_props, test::metadata(key, value));
  const test::ModelWithHierarchy net(test::model(test::graph({node})));
  ASSERT_EQ(net.hierarchy.tags().size(), 1u);
  const hierarchy::NodeTag& tag = net.hierarchy.tags().front();
  const modules::ModuleTree& tree = net.hierarchy.tree();
  EXPECT_EQ(tag.call, 2u);
  EXPECT_EQ(tree[tag.weight_owner].path, "c");
  const auto& members = net.hierarchy.members_of(tag);
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(tree[members[0].module].path, "a b");
  EXPECT_EQ(members[0].part, "activation");
  EXPECT_EQ(members[1].part, "compute");
}

TEST(Tags, EscapeSpacesInPaths) {
  for (const char* path : {"a", "a b", "100%", "%20", "a%25 b"}) {
    const std::string text = hierarchy::escape_path(path);
    EXPECT_EQ(text.find(' '), std::string::npos);
    EXPECT_EQ(hierarchy::unescape_path(text), path);
  }
}

}  // namespace
}  // namespace thence::evidence
