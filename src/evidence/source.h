// Evidence: the module that one source names for one node. Sources push; only `resolve` decides.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "evidence/strength.h"
#include "hierarchy/hierarchy.h"
#include "onnx/model.h"

namespace thence::evidence {

using modules::ModuleId;
using onnx::NodeId;

/// Where evidence comes from, in the order of precedence: an earlier source beats a later one.
enum class Source : std::uint8_t {
  tags,
  transferred,
  trace_module_map,
  dynamo_metadata,
  onnx_scope_parsing,
  value_names,
  function,
  execution_trace,
  fx_graph,
  parameter,
  neighbours,
  count,
};
inline constexpr std::size_t source_count = static_cast<std::size_t>(Source::count);

/// The name as printed, and back; Source::count for a name that is none.
std::string_view name_of(Source source);

struct Evidence {
  NodeId node = 0;
  ModuleId module = modules::no_module;
  modules::CallNumber call;  // empty if the source does not tell
  Source source = Source::tags;
  Strength strength;
  std::string_view why;      // the words in the file that name the module
  float max_confidence = 1;  // that the answer may get: a tag is no more certain than the answer it records
};

/// Takes evidence, kept by source and in the order of nodes.
class Sink {
 public:
  void push(const Evidence& evidence) {
    lists_[static_cast<std::size_t>(evidence.source)].push_back(evidence);
  }
  /// Takes the evidence of sources that are not here yet.
  void add_sources(Sink other) {
    for (std::size_t i = 0; i < source_count; ++i)
      if (lists_[i].empty()) lists_[i] = std::move(other.lists_[i]);
  }
  const std::deque<Evidence>& of(Source source) const { return lists_[static_cast<std::size_t>(source)]; }

 private:
  std::array<std::deque<Evidence>, source_count> lists_;  // which never take more than they hold
};

/// Which sources may be used, as a set.
class SourceSet {
 public:
  constexpr SourceSet() = default;
  constexpr SourceSet(std::initializer_list<Source> sources) {
    for (const Source source : sources) add(source);
  }
  constexpr void add(Source source) { bits_ |= 1u << static_cast<unsigned>(source); }
  constexpr bool has(Source source) const { return (bits_ >> static_cast<unsigned>(source) & 1) != 0; }

 private:
  std::uint32_t bits_ = 0;
};

struct AncestorAnswers;

/// Asks every source in the set about every node. `transferred` needs the ancestor's answers.
Sink collect(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, SourceSet sources,
             const AncestorAnswers* ancestor = nullptr);

// The sources, one file each.
void collect_tags(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_transferred(const AncestorAnswers& ancestor, Sink& sink);
void collect_dynamo_metadata(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_scopes(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_value_names(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_functions(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_module_map(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_recording(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Source source,
                       Sink& sink);
void collect_held_parameters(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_parameters(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);

}  // namespace thence::evidence
