#include "output/ordered_pieces.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace thence::output {
namespace {

std::string numbers(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += std::to_string(i) + ' ';
  return text;
}

MakePiece number_maker() {
  return [](std::size_t piece, std::string& text) { text += std::to_string(piece) + ' '; };
}

TEST(WritePiecesInOrder, IsInOrderOnAnyNumberOfThreads) {
  for (const unsigned jobs : {0u, 1u, 2u, 3u, 16u})
    for (const std::size_t pieces : {0u, 1u, 7u, 1000u}) {
      std::string text;
      base::Writer out([&](std::string_view piece) { return text.append(piece), true; });
      out.add("head ");
      write_pieces_in_order(pieces, jobs, out, number_maker);
      out.flush();
      EXPECT_EQ(text, "head " + numbers(pieces)) << jobs << " jobs";
    }
}

TEST(WritePiecesInOrder, StopsAfterAFailedWrite) {
  std::atomic<std::size_t> made = 0;
  base::Writer out([](std::string_view) { return false; });
  write_pieces_in_order(100'000, 4, out, [&]() -> MakePiece {
    return [&](std::size_t, std::string& text) { ++made, text += "x"; };
  });
  EXPECT_FALSE(out.ok());
  EXPECT_LT(made, 100u);
}

TEST(WritePiecesInOrder, RethrowsAnExceptionOfAThread) {
  base::Writer out([](std::string_view) { return true; });
  const auto maker = []() -> MakePiece {
    return [](std::size_t piece, std::string&) {
      if (piece == 500) throw std::runtime_error("no memory");
    };
  };
  EXPECT_THROW(write_pieces_in_order(1000, 3, out, maker), std::runtime_error);
}

}  // namespace
}  // namespace thence::output
