// Profiles by module, in every format.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/writer.h"
#include "output/formats.h"
#include "profile/compare.h"
#include "profile/rows.h"

namespace thence::output {

void write_profile_table(const profile::ProfileRows& rows, const TableStyle& style, base::Writer& out);
void write_profile_json(const profile::ProfileRows& rows, base::Writer& out);
void write_profile_jsonl(const profile::ProfileRows& rows, base::Writer& out);
void write_profile_csv(const profile::ProfileRows& rows, Formulas formulas, base::Writer& out);
/// For speedscope: each kernel is a sample whose stack is the modules around it.
void write_speedscope(const profile::ProfileRows& rows, base::Writer& out);
/// One line per kernel: "root;encoder;layer;0;kernel 123", in microseconds.
void write_collapsed_stacks(const profile::ProfileRows& rows, base::Writer& out);
/// Node data of Model Explorer: the mean time of each node in a run.
void write_time_overlay(const profile::ProfileRows& rows, base::Writer& out);
/// The events of traces of onnxruntime, with their modules, which also are slices of a track of their own.
void write_chrome_trace(const profile::JoinedProfile& profile, const std::vector<std::string>& traces,
                        base::Writer& out);
/// The totals, in two lines.
std::string profile_summary(const profile::ProfileRows& rows);

struct ComparedProfiles {
  const profile::ProfileRows& before;
  const profile::ProfileRows& after;
  const profile::Comparison& comparison;
};
void write_changes_table(const ComparedProfiles& compared, const TableStyle& style, base::Writer& out);
void write_changes_json(const ComparedProfiles& compared, base::Writer& out);
void write_changes_jsonl(const ComparedProfiles& compared, base::Writer& out);
void write_changes_csv(const ComparedProfiles& compared, Formulas formulas, base::Writer& out);
std::string changes_summary(const ComparedProfiles& compared);

/// "1.234": milliseconds.
std::string milliseconds(double microseconds);

}  // namespace thence::output
