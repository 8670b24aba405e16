#include "output/csv.h"

#include <gtest/gtest.h>

namespace thence::output {
namespace {

std::string field(std::string_view text, Formulas formulas = Formulas::escaped) {
  std::string out;
  append_csv_field(out, text, formulas);
  return out;
}

TEST(Csv, TextThatBeginsLikeAFormulaGetsAnApostrophe) {
  EXPECT_EQ(field("=1+1"), "'=1+1");
  EXPECT_EQ(field("@SUM"), "'@SUM");
  EXPECT_EQ(field("+a"), "'+a");
  EXPECT_EQ(field("-2+3"), "'-2+3");
  EXPECT_EQ(field("\uFF1D1"), "'\uFF1D1");
  EXPECT_EQ(field("=a,b"), "\"'=a,b\"");
}

TEST(Csv, NumbersAndOtherTextAreUnchanged) {
  for (const std::string_view text : {"-7", "-0.5", "-1e-3", "a=b", "", "/encoder/Add", "\u00E9"})
    EXPECT_EQ(field(text), text);
}

TEST(Csv, RawFieldsKeepFormulas) {
  EXPECT_EQ(field("=1+1", Formulas::kept), "=1+1");
  EXPECT_EQ(field("=\"a\"", Formulas::kept), "\"=\"\"a\"\"\"");
}

TEST(Csv, CommasQuotesAndControlCharactersAreFoundAnywhere) {
  for (std::size_t length : {1u, 7u, 8u, 9u, 17u})
    for (std::size_t at = 0; at < length; ++at) {
      std::string text(length, 'x');
      text[at] = ',';
      EXPECT_EQ(field(text), '"' + text + '"');
      text[at] = '\n';
      EXPECT_EQ(field(text), text.substr(0, at) + "\\n" + text.substr(at + 1));
      text[at] = '\x7f';
      EXPECT_EQ(field(text), text.substr(0, at) + "\\x7f" + text.substr(at + 1));
    }
}

TEST(Csv, QuotesExistingTextInPlace) {
  for (const std::string_view text : {"plain", "", "a,b", "=1+1", "say \"hi\"", "\u00E9\t"}) {
    std::string out = "before,";
    out += text;
    quote_csv_field(out, 7, Formulas::escaped);
    EXPECT_EQ(out, "before," + field(text));
  }
}

TEST(Csv, FormatsByName) {
  EXPECT_TRUE(is_csv("csv"));
  EXPECT_TRUE(is_csv("csv-raw"));
  EXPECT_FALSE(is_csv("json"));
  EXPECT_EQ(formulas_in("csv"), Formulas::escaped);
  EXPECT_EQ(formulas_in("csv-raw"), Formulas::kept);
}

}  // namespace
}  // namespace thence::output
