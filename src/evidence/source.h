// Evidence: one source's word on where one node comes from. Sources push; only `resolve` decides.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

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

/// How much a piece of evidence says by itself.
enum class Strength : std::uint8_t {
  names_one,        // names one module that other evidence knows, too
  spelled,          // names one module that only this name speaks of
  inferred_call,    // names a module by a reading of the name that is bolder than the plain one
  names_several,    // the name fits several modules; this is one of them
  rewritten,        // names the module of one of the nodes that a rewrite merged
  foreign,          // another framework's scope
  reads,            // the node reads a parameter of the module
  aligned,          // a projection that leaves no doubt by its own measure
  aligned_loosely,  // one that leaves some, that data does not flow along, or that order alone tells
  aligned_aside,    // the same two, of what works on sizes and constants
  aligned_aside_loosely,
  reordered,         // onto nodes that do not stand in the order in which they ran: all ways to tell it agree
  reordered_mostly,  // all but one do
  reordered_loosely,  // fewer do
  reordered_aside,    // the same three, of what works on sizes and constants
  reordered_aside_mostly,
  reordered_aside_loosely,
  relabelled,  // one without doubt, of a step that the exporter's own stack gives to another module
  view_first,  // the exporter's stack of a view that comes first in its module: it may be replayed there
  // How a node was proven to compute what one of the ancestor's does:
  same_node,     // name, operator and weights are the same, and so is what it reads
  same_inputs,   // the same operation of the same values
  same_weight,   // the one operation that reads this weight
  same_readers,  // what the same operation reads in the same place
  same_region,   // all that lies between proven values
  one_left,      // the one operation that what is known around it leaves, or one of several of one module
  same_form,     // gives a proven value another form, as one of the ancestor's does
  inserted,      // a rewrite put it in: it carries a proven value
  serving,       // constants and sizes, for proven nodes alone
  serving_afar,  // for what serves proven nodes
  takes_part,    // not the primary: the same node computes something of this module as well
};
inline constexpr std::size_t strength_count = static_cast<std::size_t>(Strength::takes_part) + 1;
std::string_view name_of(Strength strength);

struct Evidence {
  NodeId node = 0;
  ModuleId module = modules::no_module;
  std::uint32_t call = 0;
  Source source = Source::tags;
  Strength strength = Strength::names_one;
  std::string_view why;  // the words in the file that say so
};

/// Takes evidence, kept by source and in the order of nodes.
class Sink {
 public:
  void push(const Evidence& evidence) {
    lists_[static_cast<std::size_t>(evidence.source)].push_back(evidence);
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
    for (const Source source : sources) bits_ |= 1u << static_cast<unsigned>(source);
  }
  constexpr bool has(Source source) const { return (bits_ >> static_cast<unsigned>(source) & 1) != 0; }

 private:
  std::uint32_t bits_ = 0;
};

/// Asks every source in the set about every node.
Sink collect(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, SourceSet sources);

// The sources, one file each.
void collect_tags(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_dynamo_metadata(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_scopes(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_value_names(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_functions(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_module_map(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);
void collect_projection(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Source source,
                        Sink& sink);
void collect_parameters(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink);

}  // namespace thence::evidence
