#include "profile/recording_builder.h"

#include <gtest/gtest.h>

namespace thence::profile {
namespace {

Kernel named(const char* name) { return {.name = name, .op_type = {}, .provider = {}, .parent = {}}; }

TEST(RecordingBuilder, SumsCallsOfARun) {
  RecordingBuilder builder(10);
  const KernelId a = builder.kernel(named("a")), b = builder.kernel(named("b"));
  EXPECT_EQ(builder.kernel(named("a")), a);
  builder.add(a, 2);
  builder.add(b, 5);
  builder.add(a, 3);
  builder.end_run(20);
  builder.add(a, 7);
  builder.end_run(30);
  const Recording recording = std::move(builder).finish();
  ASSERT_EQ(recording.kernels.size(), 2u);
  EXPECT_EQ(recording.kernels[0].calls, 3u);
  EXPECT_EQ(recording.kernels[0].microseconds, 12);
  EXPECT_EQ(recording.samples.size(), 3u);
  EXPECT_EQ(recording.kernel_microseconds(), 17);
  EXPECT_EQ(recording.wall_microseconds(), 50);
}

TEST(RecordingBuilder, SkipsTheFirstRunsOfEachFile) {
  RecordingBuilder builder(10);
  for (int file = 0; file < 2; ++file) {
    builder.begin_file(1);
    builder.add(builder.kernel(named("warm-up")), 100);
    builder.end_run(100);
    builder.add(builder.kernel(named("a")), 1);
    builder.end_run(1);
  }
  const Recording recording = std::move(builder).finish();
  ASSERT_EQ(recording.kernels.size(), 1u);  // kernels of skipped runs alone are dropped
  EXPECT_EQ(recording.kernels[0].name, "a");
  EXPECT_EQ(recording.runs.size(), 2u);
  EXPECT_EQ(recording.kernel_microseconds(), 2);
}

TEST(RecordingBuilder, KernelsPastTheLimitShareARow) {
  RecordingBuilder builder(2);
  for (const char* name : {"a", "b", "c", "d"}) builder.add(builder.kernel(named(name)), 1);
  builder.end_open_run();
  const Recording recording = std::move(builder).finish();
  EXPECT_TRUE(recording.is_cut);
  ASSERT_EQ(recording.kernels.size(), 3u);
  EXPECT_EQ(recording.kernels[2].name, "");
  EXPECT_EQ(recording.kernel_microseconds(), 4);
  EXPECT_FALSE(recording.wall_microseconds());
}

}  // namespace
}  // namespace thence::profile
