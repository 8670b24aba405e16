// Reading rules files: an error names its position, and reading terminates for any bytes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "rules/limits.h"
#include "rules/read.h"

namespace thence::rules {
namespace {

const std::string valid = R"(version = 1
granularity = "hf"
torch_nn_exceptions = ["Linear", "LayerNorm"]
[[show]]
path = ["encoder.layer.*", "**.head"]
[[hide]]
class = "Dropout"
[[collapse]]
class = "pkg.models.**.Attention"
[[join]]
path = ["**.q", "**.k"]
as = "{1}.qk"
[[rename]]
path = "encoder.layer.*"
class = "Layer"
to = "block.{1}"
[[role]]
class = 'Rotary*'
semantic_type = "position"
component = "rotary"
)";

TEST(Read, ReadsEveryKey) {
  const Result<Rules> read = read_rules(valid, "f");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->base, Granularity::hf);
  EXPECT_EQ(read->torch_nn_exceptions->size(), 2u);
  std::string kinds;
  for (const Rule& rule : read->rules) kinds += std::string(name_of(rule.kind)) + " ";
  EXPECT_EQ(kinds, "show hide collapse join rename role ");
  EXPECT_EQ(read->rules[4].about(), "path encoder.layer.*, class Layer");
  EXPECT_EQ(read->rules[0].position.line, 4u);
  EXPECT_TRUE(read->selects_modules());
  EXPECT_FALSE(read_rules("[[role]]\npath='a'\ncomponent='b'", "f")->selects_modules());
}

TEST(Read, RulesKeepTheOrderOfTheFile) {
  const Result<Rules> read = read_rules("[[hide]]\npath='a'\n[[show]]\npath='b'\n[[hide]]\npath='c'\n", "f");
  std::string order;
  for (const Rule& rule : read->rules) order += rule.paths[0].text();
  EXPECT_EQ(order, "abc");
}

TEST(Read, EmptyFilesHaveNoRules) {
  EXPECT_TRUE(read_rules("", "f")->rules.empty());
  EXPECT_TRUE(read_rules("# only words\n", "f")->rules.empty());
}

struct Wrong {
  const char* text;
  const char* code;
  const char* place;
};

TEST(Read, ErrorsHaveACodeAndAPosition) {
  const std::string dots = "a" + std::string(300, '.') + "b = 1";
  const std::string nested = "version = " + std::string(100, '[');
  const std::string late = "\n\n[[show]]\n  path = 'a..b'";
  for (const Wrong& wrong : {
           Wrong{"version = ", "R001", "f:1:11"},
           Wrong{"[[show]]\npath = 'a'\npath = 'b'", "R001", "f:3:8"},
           Wrong{"\xff\xfe", "R001", "f:1:1"},
           Wrong{"\u00e9 = 1", "R001", "f:1:1"},  // no white space, and no key without quotes
           Wrong{"a = 1 \u00e9", "R001", "f:1:7"},
           Wrong{"[.a]", "R001", "f:1:2"},
           Wrong{"\n[[hidee]]\npath = 'a'", "R002", "f:2:3"},
           Wrong{"[[show]]\npaht = 'a'", "R002", "f:2:1"},
           Wrong{"version = 2", "R003", "f:1:11"},
           Wrong{"granularity = 'custom'", "R003", "f:1:15"},
           Wrong{"torch_nn_exceptions = 'Linear'", "R003", "f:1:23"},
           Wrong{"torch_nn_exceptions = ['Linear', 7]", "R003", "f:1:34"},
           Wrong{"show = 'a'", "R003", "f:1:8"},
           Wrong{"[[show]]", "R003", "f:1:1"},
           Wrong{late.c_str(), "R003", "f:4:10"},
           Wrong{"[[show]]\npath = 'a.b**'", "R003", "f:2:8"},
           Wrong{"[[show]]\npath = []", "R003", "f:2:8"},
           Wrong{"[[show]]\npath = \"a\\u0007\"", "R003", "f:2:8"},
           Wrong{"[[join]]\nclass = 'a'\nas = 'b'", "R003", "f:1:1"},
           Wrong{"[[join]]\npath = 'a'", "R003", "f:1:1"},
           Wrong{"[[rename]]\npath = 'a.*'\nto = 'b.{2}'", "R003", "f:3:6"},
           Wrong{"[[rename]]\npath = 'a.*'\nto = 'b.{x}'", "R003", "f:3:6"},
           Wrong{"[[rename]]\npath = 'a.*'\nto = 'b.*'", "R003", "f:3:6"},
           Wrong{"[[role]]\npath = 'a'", "R003", "f:1:1"},
           Wrong{"[[role]]\npath = 'a'\ncomponent = ''", "R003", "f:3:13"},
           Wrong{dots.c_str(), "R004", "f:1:1"},
           Wrong{nested.c_str(), "R001", "f:1:19"},
       }) {
    const Result<Rules> read = read_rules(wrong.text, "f");
    ASSERT_FALSE(read) << wrong.text;
    EXPECT_EQ(read.error().code, wrong.code) << wrong.text;
    EXPECT_TRUE(read.error().text.starts_with(std::string(wrong.place) + ": "))
        << wrong.text << read.error().text;
    EXPECT_FALSE(read.error().hint.empty()) << wrong.text;
    EXPECT_EQ(static_cast<int>(read.error().kind), 3);
  }
}

TEST(Read, RejectsFilesBeyondLimits) {
  EXPECT_EQ(read_rules(std::string(max_file_bytes + 1, '\n'), "f").error().code, "R004");
  EXPECT_TRUE(read_rules(std::string(max_file_bytes, '\n'), "f"));
  std::string many;
  for (std::size_t i = 0; i <= max_patterns; ++i) many += "[[show]]\npath='a'\n";
  EXPECT_EQ(read_rules(many, "f").error().code, "R004");
}

void check_read(const std::string& bytes) {
  const Result<Rules> read = read_rules(bytes, "f");
  if (!read)
    RC_ASSERT(!read.error().text.empty() && !read.error().hint.empty() && read.error().code[0] == 'R');
}

RC_GTEST_PROP(Reading, SurvivesRandomBytes, (const std::string& bytes)) { check_read(bytes); }

// A valid file with a stretch cut out, doubled, or put elsewhere.
RC_GTEST_PROP(Reading, SurvivesDamagedFiles, ()) {
  std::string text = valid;
  for (int i = *rc::gen::inRange(1, 6); i > 0 && !text.empty(); --i) {
    const auto any = [&] {
      return static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(text.size())));
    };
    const std::size_t at = any(), length = any() % 12;
    const std::string piece = text.substr(at, length);
    switch (*rc::gen::inRange(0, 4)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(any(), piece); break;
      case 2: text[at] = *rc::gen::arbitrary<char>(); break;
      default:
        text.insert(at, *rc::gen::element<std::string>("[", "]", "{", "}", "'", "\"", "=", ".", "**", "\n",
                                                       "\u00e9", "[."));
    }
  }
  check_read(text);
}

}  // namespace
}  // namespace thence::rules
